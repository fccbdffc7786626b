import { describe, expect, it } from "vitest";
import { formatPath } from "../diagnostics/place.js";
import { labelSelector } from "./selector.js";
import { validate } from "./validate.js";

const selector = labelSelector("Which.");
const found = (value: unknown) =>
  validate(selector, value).problems.map(({ code, path, at }) => `${code} ${formatPath(path)} ${at}`);
const one = (requirement: object) => ({ matchExpressions: [requirement] });

describe("S1.10: Kubernetes' own label selector", () => {
  it.each([
    [{}],
    [{ matchLabels: {} }],
    [{ matchLabels: { app: "web" }, matchExpressions: [] }],
    [one({ key: "app", operator: "In", values: ["a", ""] })],
    [one({ key: "app", operator: "NotIn", values: ["a"] })],
    [one({ key: "app", operator: "Exists" })],
    [one({ key: "app", operator: "Exists", values: [] })],
    [one({ key: "app", operator: "DoesNotExist", values: null })],
  ])("%j is right", (value) => expect(found(value)).toEqual([]));

  it.each([
    [{ matchlabels: {} }, ["TW1204 matchlabels key"]],
    [{ matchLabels: { app: 1 } }, ["TW1201 matchLabels.app value"]],
    [{ matchLabels: ["app"] }, ["TW1201 matchLabels value"]],
    [{ matchLabels: { "a b": "c" } }, ['TW1301 matchLabels["a b"] key']],
    [{ matchLabels: { app: null } }, ["TW2010 matchLabels.app key"]],
    [{ matchExpressions: {} }, ["TW1201 matchExpressions value"]],
    [one({}), ["TW1202 matchExpressions[0] key", "TW1202 matchExpressions[0] key"]],
    [one({ key: "app", operator: "in", values: ["a"] }), ["TW1203 matchExpressions[0].operator value"]],
    [one({ key: "app", operator: "In" }), ["TW1303 matchExpressions[0] value"]],
    [one({ key: "app", operator: "NotIn", values: [] }), ["TW1303 matchExpressions[0] value"]],
    [one({ key: "app", operator: "Exists", values: ["a"] }), ["TW1303 matchExpressions[0].values value"]],
    [
      one({ key: "app", operator: "DoesNotExist", values: ["a"] }),
      ["TW1303 matchExpressions[0].values value"],
    ],
    [one({ key: "app/", operator: "Exists" }), ["TW1301 matchExpressions[0].key value"]],
    [one({ key: "app", operator: "In", values: ["a b"] }), ["TW1302 matchExpressions[0].values[0] value"]],
    [
      one({ key: "app", operator: "In", value: ["a"] }),
      ["TW1204 matchExpressions[0].value key", "TW1303 matchExpressions[0] value"],
    ],
  ])("%j: %j", (value, problems) => expect(found(value)).toEqual(problems));

  it("S10.5: `notIn` is an error with a suggestion", () => {
    const { problems } = validate(selector, one({ key: "app", operator: "notIn", values: ["a"] }));
    expect(problems.map(({ message }) => message)).toEqual([
      "`notIn` is not one of `In`, `NotIn`, `Exists` and `DoesNotExist`; did you mean `NotIn`?",
    ]);
  });
});
