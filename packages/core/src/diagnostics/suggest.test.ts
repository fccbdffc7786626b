import { describe, expect, it } from "vitest";
import { didYouMean, suggest } from "./suggest.js";

const fields = ["matchLabels", "matchExpressions", "podSelector", "namespaceSelector", "ipBlock"];

describe("what was probably meant", () => {
  it.each([
    ["another case", "matchlabels", "matchLabels"],
    ["a dash for a capital", "pod-selector", "podSelector"],
    ["an underscore for a capital", "namespace_selector", "namespaceSelector"],
    ["dashes that count for nothing", "ip_-_-_block", "ipBlock"],
    ["a letter too few", "matchLabel", "matchLabels"],
    ["a letter too many", "matchLabelss", "matchLabels"],
    ["a wrong letter", "ipBlack", "ipBlock"],
    ["swapped neighbours", "opdSelector", "podSelector"],
    ["a few mistakes in a long word", "nmaespaceSelctor", "namespaceSelector"],
    ["the plural", "podSelectors", "podSelector"],
    ["the very word", "podSelector", "podSelector"],
  ])("%s: %s is %s", (_what, found, meant) => expect(suggest(found, fields)).toBe(meant));

  it.each([
    ["a word of its own", "endPort"],
    ["one that shares a part", "selector"],
    ["a long one with nothing in common", "terminationGracePeriodSeconds"],
  ])("nothing for %s: %s", (_what, found) => expect(suggest(found, fields)).toBeUndefined());

  it("nothing if there are no candidates", () => {
    expect(suggest("anything", [])).toBeUndefined();
  });

  it("the nearest of several, in any order", () => {
    expect(suggest("ingres", ["egress", "ingress", "ingressDeny"])).toBe("ingress");
    expect(suggest("ingres", ["ingressDeny", "ingress", "egress"])).toBe("ingress");
    expect(suggest("notIn", ["In", "NotIn", "Exists", "DoesNotExist"])).toBe("NotIn");
  });

  it("a swap counts as one mistake, not two", () => {
    // Four letters allow one mistake.
    expect(suggest("prot", ["port"])).toBe("port");
    expect(suggest("tpor", ["port"])).toBeUndefined();
  });
});

it("S10.1: the question is ready to be appended to a message", () => {
  expect(didYouMean("matchlabels", fields)).toBe("; did you mean `matchLabels`?");
  expect(didYouMean("endPort", fields)).toBe("");
});
