import type { JsonObject } from "@tierwall/core/manifest";
import { describe, expect, it } from "vitest";
import { answer, type GuaranteeAnswer } from "../guarantees/guarantee-answer.js";
import { GuaranteeConditions, KnownGuarantees } from "./guarantee-conditions.js";

const key = "tierwall.dev Guarantee closed";
const object = (generation: number, uid = "u1", spec: JsonObject = {}): JsonObject => ({
  apiVersion: "tierwall.dev/v1",
  kind: "Guarantee",
  metadata: { name: "closed", uid, generation },
  spec,
});

describe("known guarantees", () => {
  it.each<[string, JsonObject | undefined, boolean]>([
    ["that change", object(2), true],
    ["that are replaced by others of their name", object(1, "u2"), true],
    ["that are deleted", undefined, true],
    ["of which only the status changes", object(1), false],
  ])("%s are decided again: %s", (_, after, wanted) => {
    const known = new KnownGuarantees();
    expect(known.saw(key, object(1))).toBe(true);
    expect(known.saw(key, after)).toBe(wanted);
    expect(known.all).toHaveLength(after === undefined ? 0 : 1);
  });

  it("are not other objects, nor broken by objects of any shape", () => {
    const known = new KnownGuarantees();
    expect(known.saw("core Pod a/b", { kind: "Pod" })).toBe(false);
    expect(known.saw("core Pod a/b", undefined)).toBe(false);
    expect(known.saw("x", { kind: "Guarantee", metadata: [], spec: { given: "a" } })).toBe(true);
    expect(known.get("x")).toMatchObject({ name: "", stored: { uid: "", generation: 0 }, hasFiles: false });
  });
});

describe("the status of a guarantee", () => {
  const statusFor = (given: GuaranteeAnswer, spec: JsonObject = {}) => {
    const known = new KnownGuarantees();
    known.saw(key, object(3, "u1", spec));
    const conditions = new GuaranteeConditions();
    conditions.decided(known.all[0]!, given);
    const { conditions: found, restsOn } = conditions.wantedFor("u1")!;
    expect(found).toHaveLength(1);
    const { type, status, reason, message, observedGeneration } = found[0]!;
    return [type, status, reason, message, observedGeneration, restsOn];
  };

  it.each<[GuaranteeAnswer, status: string, message: string]>([
    [
      answer("Proven", "", { restsOn: ["rule 1", "rule 2"] }),
      "True",
      "it holds in every cluster with these policies, and rests on rule 1, rule 2",
    ],
    [answer("Proven", ""), "True", "it holds in every cluster with these policies, and rests on no policy"],
    [
      answer("Refuted", "a → b would be allowed"),
      "False",
      "it does not hold in every cluster with these policies; for example a → b would be allowed",
    ],
    [answer("NotDecided", "too hard"), "Unknown", "too hard"],
    [answer("Vacuous", "nothing"), "Unknown", "nothing"],
    [answer("Invalid", "unknown field"), "Unknown", "unknown field"],
  ])("%j has Holds %s", (given, status, message) => {
    expect(statusFor(given)).toEqual(["Holds", status, given.result, message, 3, given.restsOn]);
  });

  it("mentions files that are not used", () => {
    expect(statusFor(answer("Vacuous", "nothing"), { given: ["a.yaml"] })[3]).toBe(
      "`spec.given` is not used: the policies of the cluster are given; nothing",
    );
  });

  it("is forgotten with the guarantee", () => {
    const known = new KnownGuarantees();
    known.saw(key, object(1));
    const conditions = new GuaranteeConditions();
    conditions.decided(known.all[0]!, answer("Proven", ""));
    conditions.keep(known.all);
    expect(conditions.has("u1")).toBe(true);
    conditions.keep([]);
    expect([...conditions.uids]).toEqual([]);
  });
});
