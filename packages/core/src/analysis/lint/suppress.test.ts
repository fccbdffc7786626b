import { describe, expect, it } from "vitest";
import { readState } from "../../state/state.js";
import { lint } from "./lint.js";

const policy = (parts: {
  readonly annotation?: string;
  readonly above?: string;
  readonly behind?: string;
}) => `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: web
  namespace: shop
  annotations: {${parts.annotation === undefined ? "" : `tierwall.dev/lint-ignore: "${parts.annotation}"`}}
spec:
  podSelector: {}
  ingress:
    - from:
        # ${parts.above ?? ""}
        - ipBlock: {cidr: 10.1.2.3/8} # ${parts.behind ?? ""}
`;

function report(yaml: string) {
  const sources = [{ file: "test.yaml", text: yaml }];
  const { findings, suppressed } = lint(readState(sources), { sources, rules: [] });
  return {
    findings: findings.map(({ code, place }) => `${code} ${place?.line}:${place?.column}`),
    suppressed: suppressed.map(({ finding, reason }) => `${finding.code} ${reason}`),
  };
}

describe("an exception", () => {
  it("there is something to except", () =>
    expect(report(policy({}))).toEqual({ findings: ["TW2001 17:27"], suppressed: [] }));

  it.each([
    ["in an annotation of the policy", { annotation: "TW2001: agreed" }],
    ["in a comment behind it", { behind: "tierwall-ignore TW2001: agreed" }],
    ["in a comment on the line before", { above: "tierwall-ignore TW2001: agreed" }],
  ])("%s hides the finding, and keeps the reason", (_where, parts) =>
    expect(report(policy(parts))).toEqual({ findings: [], suppressed: ["TW2001 agreed"] }),
  );

  it("is for its own code, its own policy and its own line", () => {
    expect(report(policy({ annotation: "TW2002: agreed" })).findings).toEqual([
      "TW4091 11:43",
      "TW2001 17:27",
    ]);
    expect(report(`# tierwall-ignore TW2001: agreed\n${policy({})}`).findings).toEqual([
      "TW4091 1:3",
      "TW2001 18:27",
    ]);
    const other = policy({ annotation: "TW2001: agreed" }).split("---")[1]!;
    expect(report(`${policy({})}---${other.replace("name: web", "name: other")}`).findings).toEqual([
      "TW2001 17:27",
    ]);
  });

  it("without a reason is reported, and works", () =>
    expect(report(policy({ behind: "tierwall-ignore TW2001" }))).toEqual({
      findings: ["TW4090 17:41"],
      suppressed: ["TW2001 "],
    }));

  it("may be one of several; a reason may contain a semicolon", () => {
    const annotation = "TW2001: agreed; see the wiki; TW2002: never";
    expect(report(policy({ annotation }))).toEqual({
      findings: ["TW4091 11:43"],
      suppressed: ["TW2001 agreed; see the wiki"],
    });
  });

  it.each([
    ["an annotation", { annotation: "as agreed" }, "TW4091 11:43"],
    ["an empty annotation", { annotation: "" }, "TW4091 11:43"],
    ["a comment", { behind: "tierwall-ignore" }, "TW4091 17:41"],
  ])("that names no code is reported: %s", (_what, parts, expected) =>
    expect(report(policy(parts)).findings.toSorted()).toEqual(["TW2001 17:27", expected]),
  );

  it("does not hide errors", () => {
    const yaml = policy({ behind: "tierwall-ignore TW1304: agreed" }).replace("10.1.2.3/8", "10.1.2.3/88");
    expect(report(yaml).findings).toEqual(["TW1304 17:27"]);
  });
});
