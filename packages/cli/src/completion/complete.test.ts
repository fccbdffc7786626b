import { readState } from "@tierwall/core/state";
import { describe, expect, it } from "vitest";
import { makeProgram } from "../main.js";
import { candidatesText } from "./candidates.js";
import { complete } from "./complete.js";

const { cluster } = readState([
  {
    file: "cluster.yaml",
    text: `
apiVersion: v1
kind: Pod
metadata: {namespace: shop, name: cart}
spec: {containers: [{name: c, ports: [{containerPort: 8080, name: web}, {containerPort: 53, protocol: UDP}]}]}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: shop-eu, name: cart}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {namespace: shop, name: web}
spec:
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, ports: [{containerPort: 80}]}]}}
---
{apiVersion: v1, kind: Service, metadata: {namespace: shop, name: web}, spec: {selector: {app: web}, ports: [{port: 80}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: node-1}}
`,
  },
]);

/** What is offered at the end of a line, which is parted by blanks. */
function offered(line: string) {
  return complete(
    makeProgram(() => undefined),
    line.split(" "),
    () => cluster,
  );
}
const values = (line: string) => offered(line).list.map(({ value }) => value);

describe("commands", () => {
  it("are offered first, with what they do", () => {
    expect(offered("").list).toContainEqual({
      value: "validate",
      description: "check manifests, and report all errors at once",
    });
  });
  it.each([
    ["as far as they fit", "exp", ["explain"]],
    ["to `help` as well", "help val", ["validate"]],
    ["behind options of the program", "--no-config exp", ["explain"]],
    ["behind options with a value", "--config x.yaml exp", ["explain"]],
    ["and not twice", "validate exp", []],
    ["hidden ones not", "__", []],
  ])("%s", (_what, line, expected) => expect(values(line)).toEqual(expected));
});

describe("options", () => {
  it.each([
    ["of the command", "explain --pro", ["--protocol"]],
    ["of every command", "explain --no", ["--no-config", "--no-pager"]],
    ["of the program", "--ver", ["--version"]],
    ["not again", "explain --from a/b --fro", []],
    ["not again, in whatever form they were given", "explain --output=json -R --recur", []],
    ["not again, behind a shared dash", "explain -Rv --verb", []],
    ["again, where they can be repeated", "explain -f a --filen", ["--filename"]],
    ["not behind --", "test -- --out", []],
    ["of an unknown command", "nonsense --out", []],
  ])("%s", (_what, line, expected) => expect(values(line)).toEqual(expected));
});

describe("values", () => {
  it.each([
    ["of a choice", "validate --output j", ["json"]],
    ["of a choice, behind its short name", "validate -o ", ["text", "json", "wide"]],
    ["of a choice, behind =", "validate --output=j", ["--output=json"]],
    ["of an argument", "completion ", ["bash", "zsh", "fish"]],
    ["not of an argument too many", "completion bash ", []],
    ["not of an unknown option", "validate --nonsense=", []],
    ["not of a switch", "validate --recursive=", []],
    ["nothing for free text", "explain --port ", []],
  ])("%s", (_what, line, expected) => {
    expect(values(line)).toEqual(expected);
    expect(offered(line).files).toBeUndefined();
  });

  it.each([
    "validate -f ",
    "validate --filename=",
    "validate -R -f a -f b",
    "validate --dns x",
    "test ",
    "test a b",
    "--config ",
  ])("of `%s` are files, which the shell knows best", (line) =>
    expect(offered(line)).toEqual({ list: [], files: true }),
  );
});

describe("names in the cluster", () => {
  it.each([
    ["namespaces first", "explain --from ", ["shop/", "shop-eu/", "node:"]],
    ["as far as they fit", "explain --from shop-", ["shop-eu/"]],
    [
      "then what is in them",
      "explain --from shop/",
      ["shop/Deployment/web", "shop/Service/web", "shop/cart"],
    ],
    ["of this namespace alone", "explain --from shop-eu/", ["shop-eu/cart"]],
    ["workloads by kind", "explain --from shop/Dep", ["shop/Deployment/web"]],
    ["nodes", "explain --to node:", ["node:node-1"]],
    ["ports of a pod", "explain --to shop/cart:", ["shop/cart:8080/TCP", "shop/cart:53/UDP"]],
    ["ports of a workload", "explain --to=shop/Deployment/web:", ["--to=shop/Deployment/web:80/TCP"]],
    ["no ports of who has none", "explain --to shop-eu/cart:", []],
    ["nothing in an unknown namespace", "explain --from nowhere/", []],
  ])("%s", (_what, line, expected) => expect(new Set(values(line))).toEqual(new Set(expected)));

  it("say what they are", () => {
    expect(offered("explain --from shop/cart").list).toEqual([{ value: "shop/cart", description: "Pod" }]);
  });

  it("are none where the cluster cannot be read", () => {
    const program = makeProgram(() => undefined);
    expect(complete(program, ["explain", "--from", ""], () => undefined)).toEqual({ list: [] });
  });
});

describe("as cobra writes it", () => {
  it.each([
    [
      "values and descriptions",
      { list: [{ value: "a", description: "b\nc" }, { value: "d" }] },
      "a\tb c\nd\n:4",
    ],
    ["more to be typed", { list: [{ value: "a/" }], unfinished: true }, "a/\n:6"],
    ["files", { list: [], files: true }, ":0"],
    ["nothing", { list: [] }, ":4"],
  ] as const)("%s", (_what, candidates, text) => expect(candidatesText(candidates)).toBe(text));
});
