import { describe, expect, it } from "vitest";
import { annotatedChoice, annotationComplaints } from "./annotations.js";

describe("what a policy says about itself", () => {
  it.each([
    ["nothing: what it denies is logged", {}, "denied"],
    ["all", { "tierwall.dev/audit": "all" }, "all"],
    ["none", { "tierwall.dev/audit": "none" }, "none"],
    ["something unknown: as if it were not there", { "tierwall.dev/audit": "everything" }, "denied"],
    ["something of another", { "example.com/audit": "all" }, "denied"],
  ])("audit, %s", (_what, annotations, expected) => {
    expect(annotatedChoice({ annotations }, "audit")).toBe(expected);
  });

  it.each([
    ["nothing: it is enforced", {}, "enforce"],
    ["shadow", { "tierwall.dev/enforcement": "shadow" }, "shadow"],
    ["something unknown: it is enforced", { "tierwall.dev/enforcement": "Shadow" }, "enforce"],
  ])("enforcement, %s", (_what, annotations, expected) => {
    expect(annotatedChoice({ annotations }, "enforcement")).toBe(expected);
  });
});

describe("what is wrong with annotations", () => {
  it.each([
    ["every known one", { "tierwall.dev/audit": "all", "tierwall.dev/lint-ignore": "TW4001: soon" }],
    ["those of others", { "example.com/audit": "yes", "kubectl.kubernetes.io/x": 1 }],
  ])("nothing: %s", (_what, annotations) => {
    expect(annotationComplaints(annotations)).toEqual([]);
  });

  it.each([
    ["an unknown value", { "tierwall.dev/audit": "yes" }, "value", "`denied`, `all`, `none`"],
    ["a value that is not a string", { "tierwall.dev/audit": false }, "value", "not `false`"],
    ["a misspelled name", { "tierwall.dev/enforcment": "shadow" }, "key", "`tierwall.dev/enforcement`?"],
    ["a name that is like none", { "tierwall.dev/owner": "me" }, "key", "it has no effect"],
  ])("%s", (_what, annotations, at, words) => {
    const [complaint, ...more] = annotationComplaints(annotations);
    expect(more).toEqual([]);
    expect(complaint).toMatchObject({ key: Object.keys(annotations)[0], at });
    expect(complaint?.message).toContain(words);
  });
});
