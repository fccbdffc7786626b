import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { KernelTable } from "@tierwall/agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fewerRuns } from "../slice.mjs";
import { NetworkNamespace, whyNoNamespaces } from "../../packages/agent/testing/network-namespace.js";
import { rulesetOf } from "./varying-rulesets.mjs";

const reason = whyNoNamespaces();
/** Fewer where the machine has other things to do, but these at least. */
const [fewest, most, milliseconds] = [
  21,
  Number(process.env.CHANGES ?? 300),
  Number(process.env.CHANGES_MS ?? fewerRuns(10_000)),
];
const address = "10.200.2.2";
const packets = { hook: "forward", address } as const;

/** client ── node ── server: the node forwards and judges, the others count what they sent and what arrived. */
describe.skipIf(reason)(`rules that change under traffic${reason ? ` (skipped: ${reason})` : ""}`, () => {
  let client: NetworkNamespace;
  let node: NetworkNamespace;
  let server: NetworkNamespace;

  beforeAll(() => {
    [client, node, server] = [0, 1, 2].map(() => new NetworkNamespace("twk")) as [
      NetworkNamespace,
      NetworkNamespace,
      NetworkNamespace,
    ];
    join(client, node, "10.200.1");
    join(server, node, "10.200.2");
    node.run("sysctl", "-qw", "net.ipv4.ip_forward=1");
    count(client, "output", "accept");
    // No process listens there, and no error must be sent.
    count(server, "prerouting", "drop");
  });

  afterAll(() => {
    for (const namespace of [client, node, server]) namespace.remove();
  });

  test("no denied packet passes, and no allowed one is lost", { timeout: 1_200_000 }, async () => {
    let expire: () => void;
    const expired = new Promise<void>((resolve) => (expire = resolve));
    const opened = await KernelTable.open({
      onTrialEnd: (end) => end === "expired" && expire(),
      table: "tierwall",
      connectionMask: 0xffff0000,
      enter: node.enter,
      bridges: () => ({ ok: true, value: [] }),
    });
    if (!opened.ok) throw new Error(opened.message);
    const table = opened.value;
    await table.apply(rulesetOf(0, packets));
    const script = fileURLToPath(new URL("blast.mjs", import.meta.url));
    const [, ...enter] = client.enter;
    const blast = spawn("ip", [...enter, process.execPath, script, address], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(blast, "exit");
    await once(blast.stdout, "data");
    const kinds = new Set<string>();
    try {
      const since = performance.now();
      for (let number = 1; number <= most; number++) {
        if (number > fewest && performance.now() - since > milliseconds) break;
        kinds.add(await change(table, number));
      }
      await table.startTrial(rulesetOf(1000, packets), 1);
      await expired;
    } finally {
      blast.kill("SIGTERM");
      await ended;
      await table.close();
    }
    const sent = countsOf(client);
    expect(sent.denied).toBeGreaterThan(1000);
    // The last of them may still be on their way.
    await expect.poll(() => countsOf(server)).toEqual({ denied: 0, allowed: sent.allowed });
    expect([...kinds].toSorted()).toEqual(["changed", "on trial", "swapped"]);
  });
});

async function change(table: KernelTable, number: number): Promise<string> {
  const frameOf = rulesetOf(number, packets);
  const outcome = await (number % 10 === 0 ? table.startTrial(frameOf, 60) : table.apply(frameOf));
  if (!outcome.ok) throw new Error(outcome.message);
  if (outcome.value.kind === "on trial") await (number % 20 === 0 ? table.confirm() : table.giveUp());
  return outcome.value.kind;
}

function join(pod: NetworkNamespace, node: NetworkNamespace, net: string): void {
  const name = `v${net.replaceAll(".", "")}`;
  pod.run("ip", "link", "add", "eth0", "type", "veth", "peer", name, "netns", node.name);
  pod.run("ip", "address", "add", `${net}.2/24`, "dev", "eth0");
  node.run("ip", "address", "add", `${net}.1/24`, "dev", name);
  pod.run("ip", "link", "set", "eth0", "up");
  node.run("ip", "link", "set", name, "up");
  pod.run("ip", "route", "add", "default", "via", `${net}.1`);
}

function count(pod: NetworkNamespace, hook: string, verdict: "accept" | "drop"): void {
  pod.load(`table inet count {
	counter denied {
	}
	counter allowed {
	}
	chain seen {
		type filter hook ${hook} priority -300; policy accept;
		udp dport 7 counter name denied ${verdict}
		udp dport 9 counter name allowed ${verdict}
	}
}
`);
}

function countsOf(pod: NetworkNamespace): { denied: number; allowed: number } {
  const text = pod.run("nft", "list", "counters");
  const packetsOf = (name: string): number =>
    Number(new RegExp(`counter ${name} \\{\\s*packets (\\d+)`).exec(text)?.[1]);
  return { denied: packetsOf("denied"), allowed: packetsOf("allowed") };
}
