import { execFileSync, spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { whyNoNamesLab } from "../../testing/names-lab.js";
import { dnsPart, dnsSets, proxyElement, redirectElement, sourceElement } from "./redirect.js";
import { changesText } from "../ruleset/set-change.js";

const reason = whyNoNamesLab();
const space = `twd-${process.pid}-redirect`;

function nft(parameters: readonly string[], input = ""): string {
  const words = ["netns", "exec", space, "nft", ...parameters];
  const { status, stdout, stderr } = spawnSync("ip", words, { input, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

describe.skipIf(reason)(
  `the DNS part of a table in the kernel${reason ? ` (skipped: ${reason})` : ""}`,
  () => {
    beforeAll(() => {
      execFileSync("ip", ["netns", "add", space]);
      const { chains, sets } = dnsPart.ruleset;
      const lines = [
        ...[...sets].map(
          ([name, { kind, type, flags }]) => `${kind} ${name} { type ${type}; flags ${flags.join()}; }`,
        ),
        ...[...chains].map(([name, { hook, rules }]) => `chain ${name} { ${hook}\n${rules.join("\n")}\n}`),
        "chain stamp { accept\n}",
        `chain input { type filter hook input priority -10; policy accept;\n${dnsPart.input.join("\n")}\n}`,
        `chain output { type filter hook output priority -10; policy accept;\n${dnsPart.output.join("\n")}\n}`,
      ];
      nft(["-f", "-"], `table inet t {\n${lines.join("\n")}\n}\n`);
    });
    afterAll(() => void execFileSync("ip", ["netns", "delete", space]));

    const linesOf = (text: string) => text.split("\n").map((line) => line.trim());

    test.each([
      ...[...dnsPart.ruleset.chains].map(([name, { hook, rules }]) => [name, [hook!, ...rules]] as const),
      ["input", dnsPart.input] as const,
      ["output", dnsPart.output] as const,
    ])("chain %s is in the words in which nft lists it", (name, rules) => {
      const listed = linesOf(nft(["-s", "-nn", "list", "chain", "inet", "t", name]));
      expect(listed.filter((line) => rules.includes(line))).toEqual(rules);
    });

    test.each([...dnsPart.ruleset.sets])(
      "%s is in the words in which nft lists it",
      (name, { kind, type }) => {
        expect(linesOf(nft(["-s", "-nn", "list", kind, "inet", "t", name]))).toContain(`type ${type}`);
      },
    );

    test("elements of both families are taken, again and again, and all at once", () => {
      const [pod, server, proxy] = ["10.0.0.1", "10.96.0.10", "10.0.0.254"];
      const changes = [
        { address: proxy, pod, server, family: 4 as const },
        { address: "fd00::fe", pod: "fd00::1", server: "fd96::10", family: 6 as const },
      ].flatMap(({ address, pod, server, family }) => {
        const here = { address, port: 40_000 };
        const redirect = redirectElement(pod, { address: server, port: 53 }, "udp", here, 9000);
        const source = sourceElement("udp", { address, port: 61_000 }, pod, 9000);
        return [
          { kind: "replace", set: dnsSets.redirect[family], holds: "map", elements: [redirect] },
          {
            kind: "replace",
            set: dnsSets.proxy[family],
            holds: "set",
            elements: [proxyElement("tcp", here, 9000)],
          },
          { kind: "renew", set: dnsSets.source[family], element: source },
        ] as const;
      });
      for (let i = 0; i < 2; i++) nft(["-f", "-"], changesText(changes, "t"));
      const listed = nft(["-s", "-nn", "list", "table", "inet", "t"]);
      for (const element of [
        "10.0.0.1 . 10.96.0.10 . 17 . 53 timeout 9s : 10.0.0.254 . 40000",
        "6 . 10.0.0.254 . 40000 timeout 9s",
        "17 . 10.0.0.254 . 61000 timeout 9s : 10.0.0.1",
        "fd00::1 . fd96::10 . 17 . 53 timeout 9s : fd00::fe . 40000",
        "17 . fd00::fe . 61000 timeout 9s : fd00::1",
      ])
        expect(listed).toContain(element);
    });

    test("a timeout can be made longer, and an element forgotten that is there or not", () => {
      const renew = (milliseconds: number) => ({
        kind: "renew" as const,
        set: dnsSets.proxy[4],
        element: proxyElement("tcp", { address: "10.9.9.9", port: 1 }, milliseconds),
      });
      nft(["-f", "-"], changesText([renew(5000)], "t"));
      nft(["-f", "-"], changesText([renew(90_000)], "t"));
      const listed = () => nft(["-s", "-nn", "list", "set", "inet", "t", dnsSets.proxy[4]]);
      expect(listed()).toContain("10.9.9.9 . 1 timeout 90s");
      const forget = { kind: "forget" as const, set: dnsSets.proxy[4], key: "6 . 10.9.9.9 . 1" };
      for (let i = 0; i < 2; i++) nft(["-f", "-"], changesText([forget], "t"));
      expect(listed()).not.toContain("10.9.9.9");
    });
  },
);
