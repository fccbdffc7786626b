import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { canPick, pick, type Terminal } from "./pick.js";
import { matching, pickerLines, type PickerState, press } from "./picker.js";

const choices = [
  { value: "payments/api", note: "Deployment, 2 pods" },
  { value: "shop/cart", note: "Pod" },
  { value: "shop/web", note: "Deployment" },
];
const start: PickerState = { title: "Source", choices, typed: "", at: 0 };

/** The state after some keys, by name; single letters are typed. */
function after(...names: readonly string[]): PickerState {
  return names.reduce((state, name) => {
    const pressed = press(state, name.length === 1 ? { sequence: name } : { name, sequence: "" });
    if (pressed.kind !== "open") throw new Error(`${name} ended it`);
    return pressed.state;
  }, start);
}

describe("the list", () => {
  it("narrows down to what holds each word", () => {
    expect(matching({ ...start, typed: "shop dep" }).map(({ value }) => value)).toEqual(["shop/web"]);
  });

  it.each([
    [["down"], 1],
    [["down", "down", "down", "down"], 2],
    [["down", "up", "up"], 0],
    [["down", "w"], 0],
  ])("%j is at %i", (keys, at) => expect(after(...keys).at).toBe(at));

  it("shows what is typed, what matches, and how to use it, within the terminal", () => {
    expect(pickerLines(after("s", "h", "down"), 24, 80)).toEqual([
      "Source: sh",
      "  shop/cart  Pod",
      "> shop/web   Deployment",
      "type to search, arrows to move, Enter to choose, Esc to cancel",
    ]);
    expect(pickerLines(after("x"), 24, 80)[1]).toBe("  nothing matches");
    expect(pickerLines(start, 4, 20)).toEqual(["Source: ", "> payments/api  Dep", "2 more; type to sea"]);
  });

  it("Enter chooses, Esc and Ctrl+C do not", () => {
    expect(press(after("down"), { name: "return" })).toEqual({ kind: "chosen", value: "shop/cart" });
    expect(press(after("x"), { name: "return" })).toMatchObject({ kind: "open" });
    expect(press(start, { name: "escape" })).toEqual({ kind: "cancelled" });
    expect(press(start, { name: "c", ctrl: true, sequence: "\u0003" })).toEqual({ kind: "cancelled" });
  });
});

/** A terminal on which someone presses keys. */
class FakeTerminal extends EventEmitter implements Terminal {
  readonly isTTY = true;
  readonly columns = 80;
  readonly rows = 24;
  raw = false;
  shown = "";
  readonly input = this as unknown as Terminal["input"];
  readonly output = this as unknown as Terminal["output"];
  setRawMode(raw: boolean) {
    this.raw = raw;
    return this;
  }
  resume() {
    return this;
  }
  pause() {
    return this;
  }
  write(text: string) {
    this.shown += text;
    return true;
  }
  press(name: string) {
    this.emit("keypress", undefined, { name, sequence: "" });
  }
}

describe("a terminal", () => {
  it.each([
    [["down", "return"], "shop/cart"],
    [["escape"], undefined],
  ])("%j: %s", async (keys, chosen) => {
    const terminal = new FakeTerminal();
    const picked = pick("Source", choices, terminal);
    expect(terminal.raw).toBe(true);
    for (const key of keys) terminal.press(key);
    expect(await picked).toBe(chosen);
    expect(terminal.raw).toBe(false);
  });

  it("shows no control characters of names", () => {
    const terminal = new FakeTerminal();
    const picked = pick("Source", [{ value: "a/\u001b[2Jb", note: "Pod" }], terminal);
    expect(terminal.shown).not.toContain("\u001b[2J");
    terminal.press("escape");
    return picked;
  });

  it("is needed on both sides", () => {
    const terminal = new FakeTerminal();
    expect(canPick(terminal)).toBe(true);
    expect(canPick({ input: terminal.input, output: { ...terminal.output, isTTY: false } })).toBe(false);
  });
});
