import { readState } from "@tierwall/core";
import { expect, it } from "vitest";
import { annotatedModes } from "../ruleset/policy-modes.js";
import { rulesetText } from "../ruleset/text.js";
import { plainOptions, podYaml } from "../testing/node-world.js";
import { NodeCompiler } from "./node-compiler.js";

const stateWith = (port: number) =>
  readState([
    {
      file: "test.yaml",
      text: `${podYaml("shop/web", "10.0.0.1")}${podYaml("shop/cart", "10.0.0.2")}---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: web, namespace: shop }
spec:
  podSelector: {}
  ingress: [{ from: [{ podSelector: { matchLabels: { app: cart } } }], ports: [{ port: ${port} }] }]
`,
    },
  ]);

it("a compiler that saw many states forgets most of them, and still makes of an old one what it made before", () => {
  const compiler = new NodeCompiler(plainOptions, annotatedModes);
  const states = Array.from({ length: 700 }, (_, i) => stateWith(i + 1));
  const texts = states.map(({ cluster, tiers }) =>
    rulesetText(compiler.compile(cluster, tiers).ruleset, "t"),
  );
  for (const i of [0, 350, 699, 1]) {
    const { cluster, tiers } = states[i]!;
    expect(rulesetText(compiler.compile(cluster, tiers).ruleset, "t")).toBe(texts[i]);
    expect(
      rulesetText(new NodeCompiler(plainOptions, annotatedModes).compile(cluster, tiers).ruleset, "t"),
    ).toBe(texts[i]);
  }
});
