import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { KernelTable } from "@tierwall/agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NetworkNamespace, whyNoNamespaces } from "../../packages/agent/src/testing/network-namespace.js";
import { wish } from "./wishes.mjs";

const reason = whyNoNamespaces();
const changes = Number(process.env.CHANGES ?? 150);
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
    count(client, "output");
    count(server, "prerouting");
  });

  afterAll(() => {
    for (const namespace of [client, node, server]) namespace.remove();
  });

  test(`in ${changes} changes and swaps no denied packet passes, and no allowed one is lost`, {
    timeout: 300_000,
  }, async () => {
    const opened = await KernelTable.open({
      table: "tierwall",
      connectionMask: 0xffff0000,
      enter: node.enter,
      bridges: () => ({ ok: true, value: [] }),
    });
    if (!opened.ok) throw new Error(opened.message);
    const table = opened.value;
    await table.apply(wish(0, packets));
    const script = fileURLToPath(new URL("blast.mjs", import.meta.url));
    const [program, ...args] = [...client.enter, process.execPath, script, address];
    const blast = spawn(program!, args, { stdio: ["ignore", "pipe", "inherit"] });
    await once(blast.stdout, "data");
    const kinds = new Map<string, number>();
    for (let number = 1; number <= changes; number++) {
      const outcome = await (number % 10 === 0
        ? table.startTrial(wish(number, packets), 60)
        : table.apply(wish(number, packets)));
      if (!outcome.ok) throw new Error(outcome.message);
      const { kind } = outcome.value;
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      if (kind === "on trial") await (number % 20 === 0 ? table.confirm() : table.giveUp());
    }
    blast.kill("SIGTERM");
    await once(blast, "exit");
    await table.close();

    const sent = countsOf(client);
    const arrived = countsOf(server);
    expect(sent.denied).toBeGreaterThan(1000);
    expect(arrived).toEqual({ denied: 0, allowed: sent.allowed });
    expect([...kinds.keys()].sort()).toEqual(["changed", "on trial", "swapped"]);
  });
});

function join(pod: NetworkNamespace, node: NetworkNamespace, net: string): void {
  const name = `v${net.replaceAll(".", "")}`;
  pod.run("ip", "link", "add", "eth0", "type", "veth", "peer", name, "netns", node.name);
  pod.run("ip", "address", "add", `${net}.2/24`, "dev", "eth0");
  node.run("ip", "address", "add", `${net}.1/24`, "dev", name);
  pod.run("ip", "link", "set", "eth0", "up");
  node.run("ip", "link", "set", name, "up");
  pod.run("ip", "route", "add", "default", "via", `${net}.1`);
}

function count(pod: NetworkNamespace, hook: string): void {
  pod.load(`table inet count {
	counter denied {
	}
	counter allowed {
	}
	chain seen {
		type filter hook ${hook} priority -300; policy accept;
		udp dport 7 counter name denied
		udp dport 9 counter name allowed
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
