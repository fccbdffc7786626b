import { mkdtempSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clusterFile } from "@tierwall/core/manifest";
import { readState } from "@tierwall/core/state";
import { afterAll, describe, expect, it } from "vitest";
import { bookOf } from "../../testing/book.js";
import { Audit, type SuppressedLine } from "./audit.js";
import type { AuditLine } from "./audit-line.js";
import { AddressOwners } from "./address-owners.js";
import { LineLog } from "./line-log.js";
import { parseLoggedPacket } from "./logged-packet.js";
import { RuleVersions } from "./rule-versions.js";

const policies = `
kind: NetworkPolicy
metadata: {name: web, namespace: shop}
spec: {podSelector: {}, ingress: [{from: [{podSelector: {}}]}]}
---
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: guard}
spec:
  tier: Admin
  priority: 1
  subject: {namespaces: {}}
  egress:
    - {name: no-metadata, action: Deny, to: [{networks: [169.254.169.254/32]}]}
---
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: watched, annotations: {tierwall.dev/enforcement: shadow}}
spec:
  tier: Admin
  priority: 2
  subject: {namespaces: {}}
  egress:
    - {action: Deny, to: [{networks: [0.0.0.0/0]}]}
`;
const book = bookOf(policies);
/** Ids in the order of the tiers: the rule and the isolation of `web`, then egress. */
const [allow, isolation, deny, shadow] = [...book.keys()] as [string, string, string, string];

const { cluster } = readState([
  {
    file: "cluster.yaml",
    text: `
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {addresses: [{type: InternalIP, address: 192.168.0.1}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: cart, namespace: shop}, spec: {nodeName: n1}, status: {podIPs: [{ip: 10.0.0.1}, {ip: "fd00::1"}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: probe, namespace: shop}, spec: {nodeName: n1, hostNetwork: true}, status: {podIP: 192.168.0.1}}
`,
  },
]);

function logged(label: string, more: Readonly<Record<string, unknown>> = {}) {
  const fields = {
    "oob.prefix": `tw:${label}`,
    "oob.time.sec": 1_767_225_600,
    "oob.time.usec": 250_000,
    "ip.protocol": 6,
    "ip.id": 7,
    src_ip: "10.0.0.1",
    dest_ip: "169.254.169.254",
    src_port: 40_000,
    dest_port: 80,
    "tcp.seq": 1,
    ...more,
  };
  return parseLoggedPacket(JSON.stringify(fields))!;
}

function audited(shadow = false) {
  const lines: (AuditLine | SuppressedLine)[] = [];
  const rules = new RuleVersions();
  const ends = new AddressOwners(cluster);
  const audit = new Audit({ node: "n1", shadow, rules, ends, write: (line) => lines.push(line) });
  rules.programmed(book);
  return { audit, lines, rules, ends };
}

describe("a line", () => {
  it("has the time, both endpoints by name, the verdict, and the rule with its place", () => {
    const { audit, lines } = audited();
    audit.logged(logged(deny));
    expect(lines).toEqual([
      {
        time: "2026-01-01T00:00:00.250Z",
        node: "n1",
        verdict: "Deny",
        direction: "egress",
        protocol: "TCP",
        source: { address: "10.0.0.1", port: 40_000, kind: "pod", pod: "shop/cart", node: "n1" },
        destination: { address: "169.254.169.254", port: 80, kind: "external" },
        by: {
          kind: "rule",
          tier: "admin",
          policy: { kind: "ClusterNetworkPolicy", name: "guard" },
          number: 1,
          name: "no-metadata",
          path: "spec.egress[0]",
          place: "policies.yaml:15",
        },
      },
    ]);
  });

  it.each([
    ["a pod by its other address", "fd00::1", { kind: "pod", pod: "shop/cart", node: "n1" }],
    ["a node, also where a host-network pod has its address", "192.168.0.1", { kind: "node", node: "n1" }],
    ["an external address", "203.0.113.9", { kind: "external" }],
  ])("names %s", (_what, address, end) => {
    const { audit, lines } = audited();
    audit.logged(logged(allow, { src_ip: address }));
    expect(lines).toMatchObject([{ verdict: "Allow", source: { address, ...end } }]);
  });

  it("S1.17: names all pods that report an address", () => {
    const { audit, lines, ends } = audited();
    const shared = (name: string, node: string) => {
      const pod = { ...cluster.pods.get("shop/cart")!, name, node };
      return [`shop/${name}`, pod] as const;
    };
    const pods = new Map([shared("old", "n2"), ...cluster.pods, shared("ancient", "n2")]);
    ends.update({ ...cluster, pods });
    audit.logged(logged(allow));
    expect(lines).toMatchObject([
      { source: { pod: "shop/ancient", node: "n2", sharedWith: ["shop/cart", "shop/old"] } },
    ]);
  });

  it("S1.16: what the node receives is to the node, whichever address it was sent to", () => {
    const { audit, lines } = audited();
    const input = { "oob.hook": 1 };
    audit.logged(logged(deny, { ...input, dest_ip: "10.0.0.254" }));
    audit.logged(logged(deny, { "oob.hook": 2, dest_ip: "10.0.0.254" }));
    audit.logged(logged(`${deny}:cut-reply`, { ...input, src_ip: "10.0.0.1", dest_ip: "10.0.0.254" }));
    expect(lines).toMatchObject([
      { destination: { address: "10.0.0.254", kind: "node", node: "n1" }, source: { kind: "pod" } },
      { destination: { address: "10.0.0.254", kind: "external" } },
      { source: { address: "10.0.0.254", kind: "node", node: "n1" }, destination: { kind: "pod" } },
    ]);
  });

  it.each(["rule", "isolation"])("has no place if policies are not from a file (%s)", (kind) => {
    const { audit, lines, rules } = audited();
    rules.programmed(bookOf(policies, clusterFile));
    audit.logged(logged(kind === "rule" ? deny : isolation));
    expect(lines).toMatchObject([{ by: { kind } }]);
    expect(JSON.stringify(lines)).not.toContain("place");
  });

  it("names every policy that isolates", () => {
    const { audit, lines } = audited();
    audit.logged(logged(isolation));
    const web = { kind: "NetworkPolicy", namespace: "shop", name: "web", place: "policies.yaml:2" };
    expect(lines).toMatchObject([{ direction: "ingress", by: { kind: "isolation", policies: [web] } }]);
  });

  it("of a policy in shadow mode says so", () => {
    const { audit, lines } = audited();
    audit.logged(logged(shadow));
    expect(lines).toMatchObject([{ verdict: "Deny", shadow: true }]);
  });

  it("has the type of ICMP, and no ports", () => {
    const { audit, lines } = audited();
    const echo = {
      "ip.protocol": 58,
      src_port: undefined,
      dest_port: undefined,
      "icmpv6.type": 128,
      "icmpv6.code": 0,
    };
    audit.logged(logged(allow, echo));
    expect(lines).toMatchObject([{ protocol: "ICMPv6", icmp: { type: 128, code: 0 } }]);
    expect(lines[0]).not.toHaveProperty("source.port");
  });

  it.each(["egress", "ingress"])("of a pod that is not programmed yet: %s", (direction) => {
    const { audit, lines } = audited();
    audit.logged(logged(`unknown_${direction}`));
    expect(lines).toMatchObject([{ verdict: "Deny", direction, by: { kind: "unknown-pod" } }]);
  });

  it("of such a pod on a node in shadow mode says that it was not dropped", () => {
    const { audit, lines } = audited(true);
    audit.logged(logged("unknown_egress"));
    expect(lines).toMatchObject([{ verdict: "Deny", shadow: true }]);
  });

  it("of a rule that was just removed names it; of an unknown one, it has the id", () => {
    const { audit, lines, rules } = audited();
    rules.programmed(new Map());
    rules.programmed(new Map());
    audit.logged(logged(allow));
    audit.logged(logged("none"));
    expect(lines.map((line) => line.by)).toMatchObject([{ kind: "rule" }, { kind: "not-known", id: "none" }]);
  });
});

describe("a connection that is cut", () => {
  it.each([
    ["by a packet of who opened it", "cut", {}],
    [
      "by a packet of the other end",
      "cut-reply",
      { src_ip: "169.254.169.254", dest_ip: "10.0.0.1", src_port: 80, dest_port: 40_000 },
    ],
  ])("%s is shown as it was opened", (_what, cut, packet) => {
    const { audit, lines } = audited();
    audit.logged(logged(`${deny}:${cut}`, packet));
    expect(lines).toMatchObject([
      {
        cut: true,
        verdict: "Deny",
        source: { pod: "shop/cart", port: 40_000 },
        destination: { address: "169.254.169.254", port: 80 },
        by: { kind: "rule", number: 1 },
      },
    ]);
  });
});

describe("what is suppressed", () => {
  const grown = (id: string, packets: number) => [
    { name: `r_${id}`, packets, bytes: 0, entry: book.get(id)! },
  ];

  it("is what was counted and not logged, reported once, after lines had time to arrive", () => {
    const { audit, lines } = audited();
    expect(audit.counted(grown(deny, 10))).toBe(0);
    audit.logged(logged(deny, { "ip.id": 1 }));
    audit.logged(logged(deny, { "ip.id": 2 }));
    expect(audit.counted(grown(deny, 5))).toBe(8);
    expect(audit.counted([])).toBe(5);
    expect(audit.counted([])).toBe(0);
    expect(lines.filter((line) => "suppressed" in line)).toMatchObject([
      { suppressed: 8, by: { policy: { name: "guard" } } },
      { suppressed: 5, by: { policy: { name: "guard" } } },
    ]);
  });

  it("is of what is allowed, too, where that is logged: of new connections, not of those that are judged again", () => {
    const logging = policies.replace("{name: web,", "{name: web, annotations: {tierwall.dev/audit: all},");
    const { audit, lines, rules } = audited();
    const all = bookOf(logging);
    rules.programmed(all);
    const entry = all.get(allow)!;
    audit.counted([
      { name: `r_${allow}`, packets: 100, bytes: 0, entry },
      { name: `n_${allow}`, packets: 7, bytes: 0, entry },
    ]);
    audit.logged(logged(allow));
    expect(audit.counted([])).toBe(6);
    expect(lines.at(-1)).toMatchObject({ suppressed: 6, by: { policy: { name: "web" }, number: 1 } });
  });

  it("is nothing where all lines came, and nothing of what is not denied", () => {
    const { audit } = audited();
    audit.counted([...grown(deny, 1), ...grown(allow, 100)]);
    audit.logged(logged(deny));
    expect([audit.counted([]), audit.counted([])]).toEqual([0, 0]);
  });

  it("is of unknown pods too", () => {
    const { audit, lines } = audited();
    audit.counted([{ name: "unknown_egress", packets: 3, bytes: 0 }]);
    audit.logged(logged("unknown_egress"));
    expect(audit.counted([])).toBe(2);
    expect(lines.at(-1)).toMatchObject({ suppressed: 2, by: { kind: "unknown-pod" } });
  });
});

describe("what the log of the kernel says", () => {
  it.each([
    ["not JSON", "{"],
    ["no object", "7"],
    [
      "the prefix of another program",
      JSON.stringify({ "oob.prefix": "x", src_ip: "1.1.1.1", dest_ip: "1.1.1.1", "ip.protocol": 6 }),
    ],
    ["no addresses", JSON.stringify({ "oob.prefix": "tw:a", "ip.protocol": 6 })],
    ["no protocol", JSON.stringify({ "oob.prefix": "tw:a", src_ip: "1.1.1.1", dest_ip: "1.1.1.1" })],
  ])("%s is left out", (_what, line) => expect(parseLoggedPacket(line)).toBeUndefined());

  it("a protocol that policies do not know is its number", () => {
    expect(logged("a", { "ip.protocol": 47 }).protocol).toBe("47");
  });
});

describe("the file", () => {
  const folder = mkdtempSync(join(tmpdir(), "tierwall-audit-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "audit.log");
  const none = (message: string) => expect.unreachable(message);
  /** Others of this process may be closed while we look. */
  const linkOf = (descriptor: string) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      return undefined;
    }
  };

  it("is appended to, and after it was moved and reopened, a new one is written", () => {
    const log = new LineLog(file, none);
    log.write({ n: 1 });
    renameSync(file, `${file}.1`);
    log.write({ n: 2 });
    log.reopen();
    log.write({ n: 3 });
    log.close();
    const again = new LineLog(file, none);
    again.write({ n: 4 });
    again.close();
    expect(readFileSync(`${file}.1`, "utf8")).toBe('{"n":1}\n{"n":2}\n');
    expect(readFileSync(file, "utf8")).toBe('{"n":3}\n{"n":4}\n');
  });

  it.skipIf(process.platform !== "linux")("is open once, however often it was reopened", () => {
    const log = new LineLog(file, none);
    for (let i = 0; i < 5; i++) log.reopen();
    const open = readdirSync("/proc/self/fd").filter((descriptor) => linkOf(descriptor) === file);
    log.close();
    expect(open).toHaveLength(1);
  });

  it("comes with its folder", () => {
    const there = join(folder, "no/such/folder/audit.log");
    const log = new LineLog(there, none);
    log.write({ n: 1 });
    log.close();
    expect(readFileSync(there, "utf8")).toBe('{"n":1}\n');
  });

  it("that cannot be opened is named, with the option to set", () => {
    const there = join(file, "audit.log");
    expect(() => new LineLog(there, none)).toThrow(
      new RegExp(`^cannot open the audit log \`${there}\`: .*; set --audit-log to another file$`),
    );
  });

  it("on a full disk takes no lines, which is reported once", () => {
    const complaints: string[] = [];
    const log = new LineLog("/dev/full", (message) => complaints.push(message));
    expect([log.write({ n: 1 }), log.write({ n: 2 })]).toEqual([false, false]);
    log.close();
    expect(complaints).toHaveLength(1);
    expect(complaints[0]).toContain("/dev/full");
  });
});
