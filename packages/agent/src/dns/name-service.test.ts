import { setTimeout as sleep } from "node:timers/promises";
import packet from "dns-packet";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { onlyInFull, rotated } from "../../../../test/slice.mjs";
import {
  liar,
  type NamesNode,
  NamesLab,
  nameSet,
  pod,
  server,
  whyNoNamesLab,
} from "../../testing/names-lab.js";
import { Frames } from "./tcp-session.js";

const many = Array.from({ length: 100 }, (_, i) => `203.0.113.${101 + i}`).toSorted();

/** `ways` has a name for each way of asking, so that each learns addresses of its own. */
const ways = [
  { way: "over UDP", at: server[4], how: "+notcp", host: "21" },
  { way: "over TCP", at: server[4], how: "+tcp", host: "22" },
  { way: "over UDP and IPv6", at: server[6], how: "+notcp", host: "23" },
  { way: "over TCP and IPv6", at: server[6], how: "+tcp", host: "24" },
];

/** What a hostile owner of a name may let it resolve to. */
const hostile = [
  ["a pod", "10.70.9.7", "pod"],
  ["a node", "10.70.2.1", "node"],
  ["a Service", "10.96.0.1", "service"],
  ["an address that a pod may get", "10.70.8.8", "pod-range"],
  ["the metadata service", "169.254.169.254", "special"],
  ["loopback", "127.0.0.1", "special"],
  ["multicast", "224.0.0.1", "special"],
  ["unspecified", "0.0.0.0", "special"],
  ["loopback, IPv6", "::1", "special"],
  ["link-local, IPv6", "fe80::1", "special"],
  ["a mapped address", "::ffff:10.70.9.7", "special"],
  ["a pod through a translator", "64:ff9b::a46:907", "pod"],
  ["the metadata service through a translator", "64:ff9b::a9fe:a9fe", "special"],
] as const;
const inside = {
  pods: ["10.70.9.7"],
  nodes: ["10.70.2.1"],
  services: ["10.96.0.1"],
  podRanges: ["10.70.8.0/24"],
};

const records = [
  ...hostile.map(([, address], i) => `--host-record=hostile${i}.example.test,${address},30`),
  "--host-record=mixed.example.test,203.0.113.14,30",
  "--host-record=mixed.example.test,169.254.169.254,30",
  "--host-record=api.example.test,203.0.113.7,30",
  "--host-record=case.example.test,203.0.113.12,30",
  "--host-record=short.example.test,203.0.113.10,5",
  "--host-record=lied.example.test,203.0.113.13,30",
  "--host-record=other.test,203.0.113.66,30",
  "--host-record=edge.cdn.test,203.0.113.8,40",
  "--cname=www.example.test,edge.cdn.test,20",
  "--address=/wild.test/203.0.113.9",
  ...ways.flatMap(({ host }) => [
    `--host-record=way${host}.example.test,203.0.113.${host},30`,
    `--host-record=way${host}.example.test,2001:db8:cafe::${host},30`,
  ]),
  ...many.map((address) => `--host-record=many.example.test,${address},30`),
  "--host-record=one.tiny.test,203.0.113.31,30",
  "--host-record=two.tiny.test,203.0.113.32,30",
];

const shop = nameSet("shop", [{ kind: "subdomains", text: "example.test" }]);
const wild = nameSet("wild", [{ kind: "subdomains", text: "wild.test" }]);
const cilium = nameSet("cilium", [{ kind: "pattern", text: "*.cdn.test" }]);
const tiny = nameSet("tiny", [{ kind: "subdomains", text: "tiny.test" }]);
const names = [shop, wild, cilium, tiny];

/** What processes say of an answer comes a moment before or after it. */
const patience = { timeout: 300_000, interval: 50 };
vi.setConfig({ testTimeout: 1_200_000 });

const reason = whyNoNamesLab();
const lab = new NamesLab();

beforeAll(async () => {
  if (reason === undefined) await lab.setUp(records, names, { tiny_fresh4: 1 });
}, 1_200_000);
afterAll(async () => {
  if (reason === undefined) await lab.tearDown();
});

async function forgetAll(): Promise<void> {
  const sets = names.flatMap(({ fresh, kept }) => [fresh[4], fresh[6], kept[4], kept[6]]);
  await lab.nft("node", sets.map((set) => `flush set inet tierwall ${set}\n`).join(""));
}

describe.skipIf(reason)(
  `names of a node, with a real resolver${reason ? ` (skipped: ${reason})` : ""}`,
  () => {
    let node: NamesNode;

    beforeAll(async () => {
      node = await lab.startNode({ names, inside });
    }, 1_200_000);
    afterAll(async () => {
      await node.end();
      await forgetAll();
    });

    test("S8.4: an address is reachable once the pod has asked for its name, and not before", async () => {
      expect(await lab.connects("203.0.113.7")).toBe(false);
      expect(await lab.dig(`@${server[4]}`, "api.example.test")).toEqual(["203.0.113.7"]);
      expect(await lab.connects("203.0.113.7")).toBe(true);
    });

    test.each(hostile)("S8.4: %s is not learned (%s)", async (_what, address, why) => {
      const name = `hostile${hostile.findIndex(([, other]) => other === address)}.example.test`;
      const type = address.includes(":") ? "AAAA" : "A";
      expect(await lab.dig(`@${server[4]}`, name, type)).toHaveLength(1);
      await expect
        .poll(() => node.events.filter((event) => event.kind === "inside" && event.name === name), patience)
        .toMatchObject([{ inside: why }]);
      for (const set of ["shop_fresh4", "shop_fresh6", "shop_kept4", "shop_kept6"])
        expect(await lab.elements(set)).not.toContain(address);
    });

    test("S8.4: what else is in the answer is learned, and the pod sees all of it", async () => {
      expect(await lab.dig(`@${server[4]}`, "mixed.example.test")).toEqual([
        "169.254.169.254",
        "203.0.113.14",
      ]);
      expect(await lab.connects("203.0.113.14")).toBe(true);
      expect(await lab.elements("shop_fresh4")).not.toContain("169.254.169.254");
    });

    test("S8.2: names that no rule mentions are answered too, and allow nothing", async () => {
      expect(await lab.dig(`@${server[4]}`, "other.test")).toEqual(["203.0.113.66"]);
      expect(await lab.connects("203.0.113.66")).toBe(false);
    });

    for (const [rows, options] of rotated(ways, 2))
      test.each(rows)(
        "$way, addresses of both families are learned for the pod's own",
        options,
        async ({ at, how, host }) => {
          expect(await lab.dig(`@${at}`, how, `way${host}.example.test`, "A")).toEqual([`203.0.113.${host}`]);
          expect(await lab.dig(`@${at}`, how, `way${host}.example.test`, "AAAA")).toEqual([
            `2001:db8:cafe::${host}`,
          ]);
          expect(await lab.connects(`203.0.113.${host}`)).toBe(true);
          expect(await lab.connects(`2001:db8:cafe::${host}`)).toBe(true);
        },
      );

    test("the server sees the pod that asks, and never the node", async () => {
      for (const address of [pod[4], pod[6]])
        await expect
          .poll(() => lab.serverLog.filter((line) => line.includes(`from ${address}`)), patience)
          .not.toEqual([]);
      expect(lab.serverLog.filter((line) => / from (10\.70\.[12]\.1|fd70:[12]::1)$/.test(line))).toEqual([]);
    });

    test("the case of a name, and a dot at its end, make no difference", async () => {
      expect(await lab.dig(`@${server[4]}`, "Case.Example.TEST.")).toEqual(["203.0.113.12"]);
      expect(await lab.elements("shop_fresh4")).toContain("203.0.113.12");
    });

    test("an alias leads to its address under every name on the way, for the smallest TTL", async () => {
      expect(await lab.dig(`@${server[4]}`, "www.example.test")).toEqual(["203.0.113.8", "edge.cdn.test."]);
      expect(await lab.elements("shop_fresh4")).toContain("203.0.113.8");
      expect(await lab.elements("cilium_fresh4")).toEqual(["203.0.113.8"]);
      expect(await lab.run("node", "nft list set inet tierwall cilium_fresh4")).toMatch(
        /timeout (20s|1\ds\d+ms) /,
      );
    });

    test("S8.1: a wildcard is for names below it, never for the apex", async () => {
      expect(await lab.dig(`@${server[4]}`, "wild.test")).toEqual(["203.0.113.9"]);
      expect(await lab.elements("wild_fresh4")).toEqual([]);
      await lab.dig(`@${server[4]}`, "deep.down.wild.test");
      expect(await lab.elements("wild_fresh4")).toEqual(["203.0.113.9"]);
    });

    test("S8.4: a hundred addresses of one name are cut short over UDP, and learned over TCP", async () => {
      const short = await lab.dig(`@${server[4]}`, "+ignore", "+bufsize=512", "many.example.test");
      expect(short.length).toBeLessThan(100);
      expect(await lab.dig(`@${server[4]}`, "many.example.test")).toEqual(many);
      expect(await lab.elements("shop_fresh4")).toEqual(expect.arrayContaining(many));
    });

    test("an answer whose addresses the kernel does not take is withheld", async () => {
      expect(await lab.dig(`@${server[4]}`, "one.tiny.test")).toEqual(["203.0.113.31"]);
      expect(await lab.run("pod", `dig @${server[4]} +tries=1 two.tiny.test`)).toContain("SERVFAIL");
      await expect.poll(() => node.count("withheld", { name: "two.tiny.test" }), patience).toBe(1);
    });

    test("answers from others, to other questions, under other ids, or twice are ignored and counted", async () => {
      await lab.startLiar("203.0.113.13", "203.0.113.66");
      expect(await lab.dig(`@${liar.address}`, "lied.example.test")).toEqual(["203.0.113.13"]);
      await lab.dig(`@${server[4]}`, "other.test");
      const learned = await lab.elements("shop_fresh4");
      expect(learned).toContain("203.0.113.13");
      expect(learned).not.toContain("203.0.113.66");
      await expect.poll(() => node.count("ignored", { reason: "not asked" }), patience).toBe(2);
      await expect.poll(() => node.count("ignored", { reason: "another question" }), patience).toBe(1);
      await expect.poll(() => node.count("ignored", { reason: "malformed" }), patience).toBe(1);
    });

    test("what is no query is refused and counted, and does no harm", async () => {
      await lab.say("udp", server[4], Buffer.from("no query"));
      await lab.say("tcp", server[4], Buffer.from([0, 3, 1, 2, 3]));
      expect(await lab.dig(`@${server[4]}`, "+tcp", "api.example.test")).toEqual(["203.0.113.7"]);
      expect(await lab.dig(`@${server[4]}`, "api.example.test")).toEqual(["203.0.113.7"]);
      await expect.poll(() => node.count("refused", { pod: pod[4], reason: "malformed" }), patience).toBe(2);
    });

    test("a pod that closes its side of a connection still gets its answers, and the connection ends", async () => {
      const queries = ["api", "case"].map((name, id) =>
        packet.streamEncode({ id, type: "query", questions: [{ type: "A", name: `${name}.example.test` }] }),
      );
      const answers = new Frames().push(await lab.say("tcp", server[4], Buffer.concat(queries)));
      expect(answers.map((bytes) => packet.decode(bytes).answers)).toMatchObject([
        [{ data: "203.0.113.7" }],
        [{ data: "203.0.113.12" }],
      ]);
    });

    test("the proxy is reached only through the server's address", async () => {
      const listening = await lab.run("node", "nft -nn list set inet tierwall dns_proxy4");
      const [, address, port] = /17 \. (\S+) \. (\d+)/.exec(listening) ?? [];
      expect(await lab.dig("+time=2", `@${address}`, "-p", `${port}`, "api.example.test")).toEqual([
        "no answer",
      ]);
    });
  },
);

describe.skipIf(reason)(`names and the life of an agent${reason ? ` (skipped: ${reason})` : ""}`, () => {
  let node: NamesNode | undefined;

  beforeEach(async () => forgetAll());
  afterEach(async () => {
    await node?.end();
    node = undefined;
  });

  test("S8.4: after the TTL new connections are denied, and established ones live on", async () => {
    const lifetimes = { shortestSeconds: 1, longestSeconds: 60, keptSeconds: 8, addressesPerPod: 100 };
    const asking = (node = await lab.startNode({ names, lifetimes }));
    await lab.dig(`@${server[4]}`, "short.example.test");
    const asked = Date.now();
    const connection = await lab.keepOpen("203.0.113.10");
    const refreshing = setInterval(() => asking.send("refreshKept"), 500);
    try {
      while (await lab.connects("203.0.113.10"));
      expect(await connection.echo("after the TTL")).toBe("after the TTL");
      // What is kept is refreshed for as long as the connection lives, past its own timeout.
      await sleep(asked + 9000 - Date.now());
      expect(await connection.echo("much later")).toBe("much later");
    } finally {
      clearInterval(refreshing);
    }
  }, 1_200_000);

  test("a server outside is asked under the address of the node", async () => {
    const before = lab.serverLog.length;
    node = await lab.startNode({ names, asPod: false });
    expect(await lab.dig(`@${server[4]}`, "api.example.test")).toEqual(["203.0.113.7"]);
    expect(await lab.dig(`@${server[4]}`, "+tcp", "api.example.test")).toEqual(["203.0.113.7"]);
    const asked = () => lab.serverLog.slice(before).filter((line) => line.includes("query[A]"));
    await expect
      .poll(() => asked().map((line) => line.split(" ").at(-1)), patience)
      .toEqual(["10.70.2.1", "10.70.2.1"]);
    expect(await lab.elements("shop_fresh4")).toEqual(["203.0.113.7"]);
  });

  test("S8.2: queries to a server that policies deny are left to the kernel", async () => {
    node = await lab.startNode({ names, denied: [server[4]] });
    expect(await lab.dig(`@${server[4]}`, "api.example.test")).toEqual(["203.0.113.7"]);
    expect(node.count("query")).toBe(0);
    expect(await lab.elements("shop_fresh4")).toEqual([]);
  });

  test(
    "killed: pods ask the server directly as soon as redirections expire, and keep what they learned",
    onlyInFull,
    async () => {
      const killed = await lab.startNode({ names, redirectMilliseconds: 6000 });
      await lab.dig(`@${server[4]}`, "api.example.test");
      await expect.poll(() => killed.count("query"), patience).toBe(1);
      await killed.end("SIGKILL");
      await expect
        .poll(() => lab.dig("+time=1", `@${server[4]}`, "other.test"), patience)
        .toEqual(["203.0.113.66"]);
      expect(await lab.connects("203.0.113.7")).toBe(true);
    },
  );

  const families = [
    ["IPv4", server[4]],
    ["IPv6", server[6]],
  ] as const;
  for (const [rows, options] of rotated(families, 2))
    test.each(rows)(
      "stopped: also a socket that asked through the proxy reaches the server directly, over %s",
      options,
      async (_, at) => {
        const stopped = await lab.startNode({ names });
        const again = ["-b", `${at.includes(":") ? pod[6] : pod[4]}#5353`, `@${at}`, "other.test"];
        expect(await lab.dig(...again)).toEqual(["203.0.113.66"]);
        await expect.poll(() => stopped.count("query"), patience).toBe(1);
        await stopped.end();
        expect(await lab.dig(...again)).toEqual(["203.0.113.66"]);
        // And back: what went to the server directly goes through the proxy again.
        const back = (node = await lab.startNode({ names }));
        expect(await lab.dig(...again)).toEqual(["203.0.113.66"]);
        await expect.poll(() => back.count("query"), patience).toBe(1);
      },
    );

  test(
    "the next agent takes over what is in the kernel, and fills a new table with it",
    onlyInFull,
    async () => {
      const killed = await lab.startNode({ names });
      await lab.dig(`@${server[4]}`, "api.example.test");
      await killed.end("SIGKILL");
      node = await lab.startNode({ names });
      expect(await node.waitFor("ready")).toMatchObject({ adopted: 2 });
      expect(node.count("learned")).toBe(0);
      node.send("elements");
      const { text } = await node.waitFor("elements");
      await forgetAll();
      expect(await lab.connects("203.0.113.7")).toBe(false);
      await lab.nft("node", String(text));
      expect(await lab.connects("203.0.113.7")).toBe(true);
      expect(await lab.dig(`@${server[4]}`, "api.example.test")).toEqual(["203.0.113.7"]);
    },
  );
});
