/*
 * What runs in the page. It is text here, as core knows no browser; plain JavaScript without a template or a backslash, so
 * that it stands in the page as it stands here. Its data is `PageData` (matrix-page-data.ts).
 */
export const pageScript = `
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const count = data.connections.length / 5;
  const partOf = (i, k) => data.connections[5 * i + k];
  const from = (i) => data.ends[partOf(i, 0)];
  const to = (i) => data.ends[partOf(i, 1)];
  const cell = (i) => data.cells[partOf(i, 2)];
  const atOnce = 200;
  const state = { words: [], look: "open", pair: undefined, column: -1, sign: 1, shown: atOnce, chosen: -1 };
  let found = [];

  const element = (name, text, attributes) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    return made;
  };

  /* Each word is looked for in the names of ends and in ports once, however many connections have them. */
  const holding = (texts, word) => texts.map((text) => text.toLowerCase().includes(word));
  const names = data.ends.map((end) => end[0]);
  const ports = data.cells.map((one) => one[1]);

  /* A number is a port, and finds whatever may use it: 8443 is in 8000-9000/TCP and in any, and not in any but 8443/TCP. */
  function usable(word) {
    const asked = /^([0-9]{1,5})(?:[/](tcp|udp|sctp))?$/.exec(word);
    if (asked === null) return holding(ports, word);
    const number = Number(asked[1]);
    const isAsked = (protocol) => asked[2] === undefined || protocol === asked[2].toUpperCase();
    const isIn = (range) => {
      const [first, last] = range.split("-").map(Number);
      return first <= number && number <= (last === undefined ? first : last);
    };
    const holds = (token, i, all) => {
      if (token === "any") return true;
      if (all[i - 1] === "all") return isAsked(token);
      const [ranges, protocol] = token.split("/");
      return protocol !== undefined && isAsked(protocol) && ranges.split(",").some(isIn);
    };
    return data.cells.map((one) => one.slice(2).some((text) => text.split(" ").some(holds)));
  }

  const looks = (look) => state.look === "" || look === state.look || (state.look === "open" && look !== "none");

  function search() {
    const tests = state.words.map((word) => [holding(names, word), usable(word)]);
    found = [];
    for (let i = 0; i < count; i++) {
      if (!state.pair && !looks(cell(i)[0])) continue;
      if (state.pair && (from(i)[2] !== state.pair[0] || to(i)[2] !== state.pair[1])) continue;
      const fits = tests.every(([inEnds, inPorts]) =>
        inEnds[partOf(i, 0)] || inEnds[partOf(i, 1)] || inPorts[partOf(i, 2)]);
      if (fits) found.push(i);
    }
    const textOf = [(i) => from(i)[0], (i) => to(i)[0], (i) => cell(i)[1]][state.column];
    if (textOf) found.sort((a, b) => {
      const x = textOf(a), y = textOf(b);
      return state.sign * (x < y ? -1 : x > y ? 1 : 0) || a - b;
    });
    show();
  }

  function show() {
    const rows = found.slice(0, state.shown).map((i) => {
      const row = element("tr", undefined, { class: cell(i)[0], tabindex: "0", "aria-selected": String(i === state.chosen) });
      const last = element("td");
      last.append(element("span", "", { class: "mark" }), cell(i)[1] === "-" ? "nothing" : cell(i)[1]);
      row.append(element("td", from(i)[0]), element("td", to(i)[0]), last);
      row.addEventListener("click", () => choose(i));
      row.addEventListener("keydown", (event) => { if (event.key === "Enter") choose(i); });
      return row;
    });
    byId("rows").replaceChildren(...rows);
    byId("count").textContent = found.length.toLocaleString("en") + " of " + count.toLocaleString("en") + " connections";
    byId("more").hidden = found.length <= state.shown;
    byId("pair").hidden = !state.pair;
  }

  function choose(i) {
    state.chosen = i;
    show();
    const [, , wholly, partly, undecided] = cell(i);
    const panel = [element("h2", from(i)[0] + " → " + to(i)[0])];
    const list = element("dl");
    const told = (what, text) => {
      if (text !== "") list.append(element("dt", text, { class: "ports" }), element("dd", what));
    };
    told("allowed", wholly);
    told("allowed for some of their pods or addresses only", partly);
    told("undecided: it hangs on what is not known", undecided);
    if (wholly + partly + undecided === "") list.append(element("dt", "nothing is allowed", { class: "Deny" }));
    panel.push(list);
    const reasons = data.more[i] || [["", partOf(i, 3), partOf(i, 4)]];
    for (const [pair, egress, ingress] of reasons) {
      if (pair !== "") panel.push(element("h3", "for example " + pair));
      panel.push(...direction("leaving " + from(i)[0], egress), ...direction("entering " + to(i)[0], ingress));
    }
    panel.push(...command(from(i)[1], to(i)[1]));
    byId("details").replaceChildren(...panel);
  }

  function direction(title, reason) {
    const list = element("dl");
    for (const [ports, said] of data.reasons[reason]) {
      const [verdict, text] = data.said[said];
      const head = element("dt", undefined);
      const word = { Allow: "✓ allowed", Deny: "✗ denied", Undecided: "? undecided" }[verdict];
      head.append(element("span", word, { class: verdict }), " ", element("span", ports, { class: "ports" }));
      list.append(head, element("dd", text));
    }
    return [element("h3", title), list];
  }

  function command(source, destination) {
    if (source === "" || destination === "") return [];
    const text = "tierwall explain -f … --from " + source + " --to " + destination;
    return [element("h3", "every rule that was looked at"), element("code", text)];
  }

  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("search").addEventListener("input", (event) => {
    state.words = event.target.value.toLowerCase().split(" ").filter((word) => word !== "");
    state.shown = atOnce;
    search();
  });
  byId("look").addEventListener("change", (event) => { state.look = event.target.value; state.shown = atOnce; search(); });
  byId("pair").addEventListener("click", () => { state.pair = undefined; frame.remove(); search(); });
  byId("more").addEventListener("click", () => { state.shown += 5 * atOnce; show(); });
  for (const head of document.querySelectorAll("th"))
    head.addEventListener("click", () => {
      const column = Number(head.dataset.column);
      state.sign = state.column === column ? -state.sign : 1;
      state.column = column;
      for (const other of document.querySelectorAll("th")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", state.sign === 1 ? "ascending" : "descending");
      search();
    });

  /* A cell of the picture stands for one connection, or for all between two namespaces, with nodes or outside. */
  const picture = document.querySelector("#picture svg");
  const frame = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  function chooseCell(row, column) {
    const { left, top, cell: size } = picture.dataset;
    const box = { x: Number(left) + column * size, y: Number(top) + row * size, width: size, height: size };
    for (const key in box) frame.setAttribute(key, box[key]);
    frame.setAttribute("class", "frame");
    picture.append(frame);
    state.pair = [row, column];
    state.shown = atOnce;
    search();
    byId("pair").textContent = "this cell only";
    if (found.length > 0) choose(found[0]);
    else byId("details").replaceChildren(element("p", data.denied ? "There are no two ends to connect here." : "Nothing is allowed here. Ask tierwall explain which rule denies it.", { class: "hint" }));
  }
  picture.addEventListener("click", (event) => {
    const box = picture.getBoundingClientRect();
    const size = Number(picture.dataset.cell);
    const column = Math.floor((event.clientX - box.left - Number(picture.dataset.left)) / size);
    const row = Math.floor((event.clientY - box.top - Number(picture.dataset.top)) / size);
    const ends = Number(picture.dataset.count);
    if (row >= 0 && column >= 0 && row < ends && column < ends) chooseCell(row, column);
  });

  /* #q=WORDS, #cell=ROW,COLUMN: a place in the page to send to somebody. */
  const place = new URLSearchParams(location.hash.slice(1));
  if (place.has("q")) {
    byId("search").value = place.get("q");
    state.words = place.get("q").toLowerCase().split(" ").filter((word) => word !== "");
  }
  search();
  if (place.has("cell")) chooseCell(...place.get("cell").split(",").map(Number));
})();
`;
