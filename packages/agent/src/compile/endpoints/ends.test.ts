import { readState } from "@tierwall/core/state";
import { expect, it } from "vitest";
import { modesOf } from "../../observe/decider.js";
import { nodeYaml, plainOptions, podYaml } from "../../../testing/node-world.js";
import { rulesetText } from "../../ruleset/text.js";
import { NodeCompiler } from "../node-compiler.js";

const pods = [
  nodeYaml("here", "192.168.0.1"),
  podYaml("shop/web", "10.0.0.1"),
  podYaml("play/one", "10.0.1.1", { node: "there", labels: "team: red" }),
  podYaml("play/two", "10.0.2.1", { node: "there" }),
].join("");

const allowing = (peer: string) => `---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: p, namespace: shop }
spec: { podSelector: {}, ingress: [{ from: [${peer}] }] }
`;

const stateOf = (text: string) => readState([{ file: "test.yaml", text }]);

it.each([
  [
    "label",
    "{ namespaceSelector: {} }",
    "{ namespaceSelector: {}, podSelector: { matchLabels: { team: red } } }",
  ],
  [
    "block of addresses",
    "{ ipBlock: { cidr: 10.0.0.0/16 } }",
    "{ ipBlock: { cidr: 10.0.0.0/16, except: [10.0.1.0/24] } }",
  ],
])("a policy with a new %s is not asked about a pod that is gone", (_, peer, other) => {
  const { cluster, tiers } = stateOf(pods + allowing(peer));
  const edited = stateOf(allowing(other)).tiers;
  const without = { ...cluster, pods: new Map([...cluster.pods].filter(([, { name }]) => name !== "one")) };
  const compiler = new NodeCompiler(plainOptions, modesOf);
  compiler.compile(cluster, tiers);
  compiler.compile(without, tiers);
  const found = compiler.compile(without, edited).ruleset;
  const fresh = new NodeCompiler(plainOptions, modesOf).compile(without, edited).ruleset;
  expect(rulesetText(found, "tierwall")).toBe(rulesetText(fresh, "tierwall"));
});
