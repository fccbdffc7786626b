import { describe, expect, it } from "vitest";
import { formatOf, readerOf } from "../../analysis/replay/format.js";
import { Replay } from "../../analysis/replay/replay.js";
import { readState } from "../../state/state.js";
import { replayJson } from "./replay-json.js";
import { replayText } from "./replay-text.js";
import { noStyle } from "../style.js";

const cluster = `
{apiVersion: v1, kind: Namespace, metadata: {name: a}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: client, labels: {app: client}}, status: {podIP: 10.0.0.1}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: server, labels: {app: server}}, status: {podIP: 10.0.0.2}}
`;
const only = (port: number) => `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: closed, namespace: a}
spec:
  podSelector: {matchLabels: {app: server}}
  ingress: [{ports: [{port: ${port}}]}]
`;
const names = `
---
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: names}
spec:
  tier: Admin
  priority: 1
  subject: {namespaces: {}}
  egress:
  - action: Accept
    to: [{domainNames: [example.com]}]
  - action: Deny
    to: [{networks: [203.0.113.0/24]}]
`;

function replayed(policies: string, lines: readonly string[], applied?: string) {
  const stateOf = (file: string, text: string) =>
    readState([
      { file: "cluster.yaml", text: cluster },
      { file, text },
    ]);
  const before = stateOf("policies.yaml", policies);
  const replay = new Replay(before, applied === undefined ? undefined : stateOf("new.yaml", applied));
  const read = readerOf(formatOf(lines[0]!)!, lines[0]!)!;
  for (const line of lines) {
    const found = read(line);
    if (found !== undefined) replay.add(found);
  }
  return replay.result();
}

const text = (...given: Parameters<typeof replayed>) => replayText(replayed(...given), { style: noStyle });
const header = "from,to,port,protocol,count,verdict";

describe("as text", () => {
  it("counts first, then who drops what, then what is not as observed, and what was not evaluated", () =>
    expect(
      text(only(80), [
        header,
        "a/client,a/server,80,TCP,1000",
        "a/client,a/server,81,TCP,1200,allowed",
        "a/client,a/gone,81,TCP,3",
        "a/client,,",
      ]),
    ).toBe(`✗ DROPPED   1,200 of 2,200 flows

  denied on ingress: isolated by NetworkPolicy a/closed · policies.yaml:1
    1,200  a/client → a/server :81/TCP

differs from what was observed: was this state in force? (1,200)

  was forwarded, but is denied on ingress: isolated by NetworkPolicy a/closed ·
      policies.yaml:1
    1,200  a/client → a/server :81/TCP

not evaluated
  endpoints that cannot be found or cannot connect: 3, a/client → a/gone (3)
  lines that cannot be read: 1`));

  it("nothing dropped is one line", () =>
    expect(text(only(80), [header, "a/client,a/server,80"])).toBe("✓ NOTHING DROPPED   of 1 flow"));

  it("without a flow that could be evaluated, nothing is said to be fine", () =>
    expect(text(only(80), [header, "a/missing,a/server,80"])).toMatch(
      /^\? NONE KNOWN TO BE DROPPED   of 0 flows/,
    ));

  it("undecided flows are not reported as no change", () => {
    const flows = [header, "a/client,203.0.113.7,443"];
    expect(text(names, flows, names)).toMatch(/^\? NO KNOWN CHANGE   of 1 flow: 1 undecided/);
  });

  it("what depends on missing information is listed apart", () =>
    expect(
      text(names, [header, "a/client,203.0.113.7,443"]),
    ).toBe(`? NONE KNOWN TO BE DROPPED   of 1 flow: 1 undecided

undecided: information is missing (1)

  undecided on egress: ClusterNetworkPolicy names rule 2 · policies.yaml:13, or
      ClusterNetworkPolicy names rule 1 · policies.yaml:11
    1  a/client → 203.0.113.7 :443/TCP`));

  it("of a change, what it changes", () => {
    const lines = [header, "a/client,a/server,80,TCP,5", "a/client,a/server,81,TCP,2"];
    expect(
      text(only(80), lines, only(81)),
    ).toBe(`✗ CHANGES   7 of 7 flows: 5 would be dropped, 2 would be allowed

  allowed → denied on ingress: isolated by NetworkPolicy a/closed · new.yaml:1
    5  a/client → a/server :80/TCP

  allowed; was denied on ingress: isolated by NetworkPolicy a/closed ·
      policies.yaml:1
    2  a/client → a/server :81/TCP`);
    expect(text(only(80), lines, only(80))).toBe("✓ NO CHANGE   of 7 flows");
  });

  it("many connections are cut short", () => {
    const lines = Array.from({ length: 9 }, (_, i) => `a/client,a/server,${i + 1}`);
    expect(text(only(80), [header, ...lines])).toContain(
      "    …and 5 more between 5 other endpoints (-v shows more)",
    );
  });
});

describe("as JSON", () => {
  it("has every group, with who decides at each end", () =>
    expect(
      JSON.parse(
        JSON.stringify(replayJson(replayed(only(80), [header, "a/client,a/server,81,TCP,2,allowed"]))),
      ),
    ).toMatchObject({
      apiVersion: "tierwall.dev/v1",
      kind: "Replay",
      judged: 2,
      allowed: 0,
      denied: 2,
      undecided: 0,
      flows: {
        dropped: [
          {
            from: { kind: "workload", namespace: "a", name: "client", workload: "Pod" },
            to: { kind: "workload", namespace: "a", name: "server", workload: "Pod" },
            protocol: "TCP",
            port: 81,
            count: 2,
            verdict: "Deny",
            egress: { verdict: "Allow", decidedBy: { type: "default" } },
            ingress: { verdict: "Deny", decidedBy: { type: "isolation", isolation: [{ name: "closed" }] } },
          },
        ],
        undecided: [],
        disagreements: [{ seen: { verdict: "Allow" }, verdict: "Deny", count: 2 }],
      },
      notJudged: { skipped: {}, unknown: [], broken: 0 },
    }));

  it("of a change, also as it was before", () =>
    expect(replayJson(replayed(only(80), [header, "a/client,a/server,80"], only(81)))).toMatchObject({
      flows: { changed: [{ verdict: "Deny", before: { verdict: "Allow" } }] },
    }));
});
