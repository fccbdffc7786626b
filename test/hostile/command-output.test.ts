import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { visible } from "@tierwall/core/report";
import { afterAll, describe, expect, it } from "vitest";
import { hostileManifests, hostileTest } from "../../packages/core/testing/hostile-cluster.js";
import { hostileTexts } from "../../packages/core/testing/hostile-texts.js";
import { folderOf, type Ran, removeFolders, tierwall } from "../../packages/cli/testing/run-command.js";

/*
 * Whole processes, as they run in a terminal and in a workflow of GitHub, on manifests in which all names are hostile: what they print
 * has no control character except for line breaks and our own colours, and no line is a command to the runner unless `-o github`
 * was asked for. HOSTILE_NAMES=all tries each name by itself.
 */

afterAll(removeFolders);

/** A process takes a second, and there are sixty command lines: one name that has the worst of all others. */
const worst = "x\n::error::y\u001b[2J\u001b[32m\u009b1A\r::warning::z\u202e\u2028\u0007##[error]";
const names = process.env.HOSTILE_NAMES === "all" ? [worst, ...hostileTexts] : [worst];

function folderFor(name: string): string {
  const objects = hostileManifests(name, name);
  const text = (some: readonly object[]) =>
    some.map((one) => JSON.stringify(one, undefined, 1)).join("\n---\n");
  const flow = {
    IP: { source: "10.1.1.1", destination: "10.1.1.2" },
    source: { namespace: name, pod_name: name },
    destination: { namespace: "shop", pod_name: "api" },
    l4: { TCP: { destination_port: 80 } },
    verdict: "FORWARDED",
  };
  const decider = {
    policies: [{ kind: name, namespace: name, name }],
    rule: name,
    direction: "ingress",
    tier: name,
    verdict: "Deny",
    shadow: false,
  };
  const counts = { decider, packets: 3, bytes: 180, firstSeen: "2026-01-01T00:00:00.000Z" };
  const folder = folderOf({
    "old/cluster.yaml": text(objects.slice(0, 7)),
    "new/cluster.yaml": text(objects),
    "policy.yaml": text(objects.slice(7)),
    "broken.yaml": `${text(objects)}\n---\n{"a": ${JSON.stringify(name)}, ${name}`,
    "test.yaml": JSON.stringify(hostileTest(name)),
    "flows.jsonl": `${JSON.stringify(flow)}\n${JSON.stringify({ from: name, to: name, port: name })}\n`,
    "flows.csv": `from,to,port\n${JSON.stringify(name)},shop/api,80\n${name}\n`,
    "dns.yaml": JSON.stringify({ [name]: [name, "192.0.2.1"] }),
    "hits.json": JSON.stringify({
      version: 1,
      node: name,
      at: "2026-01-01T04:00:00.000Z",
      sums: { r_0: counts },
    }),
  });
  // Names of files are chosen by others, too; some characters cannot be in one.
  const file = `${name.replaceAll(/[\0/]/g, "").slice(0, 40)}.yaml`;
  writeFileSync(join(folder, "new", file), text(objects.slice(7, 8)));
  return folder;
}

const state = ["-f", "new", "--keep-going"];
const commandLines: readonly (readonly [outputs: readonly string[], args: readonly string[]])[] = [
  [
    ["text", "json", "yaml"],
    ["explain", ...state, "--from", "shop/cart", "--to", "shop/api", "--port", "80"],
  ],
  [
    ["text", "json", "csv", "md", "dot", "svg", "html"],
    ["matrix", ...state],
  ],
  [
    ["text", "json"],
    ["lookup", ...state, "shop/api"],
  ],
  [
    ["text", "json"],
    ["replay", ...state, "--flows", "flows.jsonl"],
  ],
  [["text"], ["replay", ...state, "--flows", "flows.csv"]],
  [
    ["text", "json", "junit"],
    ["test", "test.yaml", ...state],
  ],
  [
    ["text", "json", "md", "github"],
    ["diff", "old", "new", "--keep-going"],
  ],
  [
    ["text", "json", "md", "github"],
    ["preview", "-f", "old", "--keep-going", "--apply", "policy.yaml"],
  ],
  [
    ["text", "json"],
    ["validate", "-f", "new"],
  ],
  [
    ["text", "json"],
    ["validate", "-f", "broken.yaml"],
  ],
  [
    ["text", "json", "sarif", "github", "junit"],
    ["lint", ...state],
  ],
  [
    ["yaml", "json"],
    ["convert", ...state, "--to", "cluster-network-policy"],
  ],
  [
    ["text", "yaml", "json"],
    ["minimize", ...state],
  ],
  [
    ["text", "json"],
    ["hits", "--state", "hits.json"],
  ],
  [
    ["text", "json"],
    ["hits", "--state", "hits.json", "--never"],
  ],
  [
    ["text"],
    ["explain", ...state, "--dns", "dns.yaml", "--from", "shop/cart", "--to", "shop/api", "--port", "80"],
  ],
];

/** Everything that is not shown, without line breaks, tabs, and the colours that we print. */
const unseen = /[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|[^\n\t\P{Cc}]/u;
const ownColours = new RegExp(`${String.fromCharCode(27)}\\[\\d{1,2}m`, "g");

function around(text: string, wrong: RegExp): string | undefined {
  const at = wrong.exec(text)?.index;
  return at === undefined ? undefined : JSON.stringify(text.slice(Math.max(0, at - 60), at + 30));
}

function expectHarmless({ stdout, stderr, status }: Ran, mayCommand: boolean): void {
  // Neither a crash nor a signal.
  expect([0, 1, 2]).toContain(status);
  expect(stderr).not.toMatch(/^\s+at .*\.js:\d+/m);
  for (const text of [stdout, stderr]) {
    expect(around(text, unseen)).toBeUndefined();
    if (!mayCommand || text === stderr) expect(around(text, /^\s*(?:::[a-z]|##\[)/m)).toBeUndefined();
    else
      for (const line of text.split("\n"))
        expect(line).not.toMatch(/^\s*(?:##\[|::(?!error |warning |notice ))/);
  }
}

describe.each(names.map((name) => [visible(name).slice(0, 40), name] as const))("%s", (_shown, name) => {
  const folder = folderFor(name);

  it.each(
    commandLines.flatMap(([outputs, args]) => outputs.map((output) => [output, args.join(" ")] as const)),
  )("-o %s: %s", (output, line) => {
    const args = line.split(" ");
    expectHarmless(tierwall([...args, "-o", output], { cwd: folder }), output === "github");
  });

  it("as arguments", () => {
    const given = name.replaceAll("\0", "");
    for (const args of [
      ["explain", ...state, "--from", given, "--to", "shop/api", "--port", "80"],
      ["explain", ...state, "--from", "shop/cart", "--to", given, "--port", given],
      ["lookup", ...state, `x${given}`],
      ["validate", "-f", `./${given}`],
      ["replay", ...state, "--flows", `./${given}`],
      ["nft", ...state, "--node", given],
      ["hits", "--state", `./${given}`],
    ])
      expectHarmless(tierwall(args, { cwd: folder }), false);
  });

  it("in colour, without anything but colours", () => {
    for (const [, args] of commandLines) {
      const ran = tierwall(args, { cwd: folder, env: { FORCE_COLOR: "1" } });
      const bare = (text: string) => text.replaceAll(ownColours, "");
      expectHarmless({ ...ran, stdout: bare(ran.stdout), stderr: bare(ran.stderr) }, false);
    }
  });
});
