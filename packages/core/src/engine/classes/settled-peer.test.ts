import { describe, expect, it } from "vitest";
import { parseCidr } from "../../net/cidr.js";
import type { NamespaceSet, Peer, PodSet } from "../../policy/model.js";
import { stateOf } from "../../../testing/arbitrary/scenario.js";
import type { EndClass } from "./ends.js";
import { Ends } from "./ends.js";
import { isRelative, peerKey, settlePeer } from "./settled-peer.js";
import { vocabularyOf } from "./vocabulary.js";

const everyPod: PodSet = { kind: "selector", match: [] };

function subjectIn(namespaceLabels: object, podLabels: object): EndClass {
  const { cluster, tiers } = stateOf([
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", labels: { ...namespaceLabels } } },
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "cart", namespace: "shop", labels: { ...podLabels } },
    },
  ]);
  return new Ends(cluster, vocabularyOf(cluster, tiers)).classes[0]!;
}

const subject = subjectIn({ team: "red", env: "prod" }, { app: "web" });
const pods = (namespaces: NamespaceSet, pods: PodSet = everyPod): Peer => ({
  kind: "pods",
  namespaces,
  pods,
});
const settled = (peer: Peer) => {
  const found = settlePeer(peer, subject);
  return found.kind === "pods" ? found.choice : found.kind;
};
const label = (operator: "In" | "NotIn", key: string, value: string) => ({ key, operator, values: [value] });

describe("S5.4: a relative peer means, to a subject", () => {
  it.each<[string, Peer, object | string]>([
    ["its own namespace", pods({ kind: "self" }), { kind: "named", name: "shop" }],
    ["all but its own namespace", pods({ kind: "not-self" }), { kind: "not-named", name: "shop" }],
    [
      "namespaces with its labels",
      pods({ kind: "same-labels", keys: ["team", "env"] }),
      { kind: "labels", match: [label("In", "team", "red"), label("In", "env", "prod")] },
    ],
    ["nothing where it lacks one of them", pods({ kind: "same-labels", keys: ["team", "tier"] }), "nothing"],
    ["nothing where there are none to compare", pods({ kind: "same-labels", keys: [] }), "nothing"],
    [
      "namespaces with none of its labels",
      pods({ kind: "not-same-labels", keys: ["team", "tier"] }),
      { kind: "labels", match: [label("NotIn", "team", "red")] },
    ],
    [
      "all namespaces where it has none",
      pods({ kind: "not-same-labels", keys: ["tier"] }),
      { kind: "labels", match: [] },
    ],
  ])("%s", (_, peer, wanted) => {
    expect(isRelative(peer)).toBe(true);
    const found = settled(peer);
    expect(typeof found === "string" ? found : found.namespaces).toEqual(wanted);
  });

  it("pods with its labels", () => {
    const peer = pods({ kind: "selector", match: [] }, { kind: "same-labels", keys: ["app"] });
    expect(isRelative(peer)).toBe(true);
    expect(settled(peer)).toMatchObject({ pods: [label("In", "app", "web")] });
  });
});

describe("a peer that is not relative", () => {
  const cidrs = (...texts: readonly string[]) => texts.map((text) => parseCidr(text)!);
  const network = (
    first: string,
    except: readonly string[] = [],
    reach: "every-address" | "external" = "external",
  ): Peer => ({
    kind: "networks",
    cidrs: cidrs(first),
    except: cidrs(...except),
    reach,
  });
  const different: readonly Peer[] = [
    { kind: "everything" },
    pods({ kind: "selector", match: [] }),
    pods({ kind: "selector", match: [label("In", "team", "red")] }),
    pods({ kind: "selector", match: [] }, { kind: "selector", match: [label("In", "team", "red")] }),
    network("10.0.0.0/8"),
    network("10.0.0.0/9"),
    network("10.0.0.0/8", ["10.0.0.0/9"]),
    network("10.0.0.0/8", [], "every-address"),
    network("::/0"),
    network("0.0.0.0/0"),
    { kind: "nodes", nodes: [] },
    { kind: "nodes", nodes: [label("In", "team", "red")] },
    { kind: "entity", entity: "world" },
    { kind: "entity", entity: "cluster" },
    { kind: "domains", patterns: [{ kind: "exact", text: "example.com" }], reach: "external" },
    { kind: "domains", patterns: [{ kind: "subdomains", text: "example.com" }], reach: "external" },
    { kind: "endpoints", services: { namespace: "shop", name: "cart" } },
    { kind: "endpoints", services: { name: "cart" } },
    { kind: "cidr-group", name: "partners", except: [] },
    { kind: "cidr-group", name: "partners", except: cidrs("10.0.0.0/8") },
    { kind: "unknown-set", what: "a group", reach: "external" },
  ];

  it("means the same for every subject", () => {
    const other = subjectIn({ team: "blue" }, {});
    for (const peer of different) {
      expect(isRelative(peer)).toBe(false);
      expect(settlePeer(peer, subject)).toEqual(settlePeer(peer, other));
    }
  });

  it("has a key of its own", () => {
    const keys = different.map((peer) => peerKey(settlePeer(peer, subject)));
    expect(new Set(keys).size).toBe(different.length);
  });
});
