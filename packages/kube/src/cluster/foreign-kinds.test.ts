import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { allKinds, effectiveForeignKinds, foreignWatchedKinds, namesOfForeign } from "./foreign-kinds.js";
import { installObjects } from "../install/install.js";
import { resourceOf, type WatchedKind, watchedKinds } from "./kinds.js";

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules: readonly {
    readonly apiGroups?: readonly string[];
    readonly resources?: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

const clusterRole = (name: string): Role =>
  (installObjects() as unknown as readonly Role[]).find(
    ({ kind, metadata }) => kind === "ClusterRole" && metadata.name === name,
  )!;

const mayDo = ({ rules }: Role, verb: string, { group, plural }: WatchedKind): boolean =>
  rules.some(
    ({ apiGroups = [], resources = [], verbs }) =>
      apiGroups.includes(group) &&
      (resources.includes(plural) || resources.includes("*")) &&
      verbs.includes(verb),
  );

const named = (kinds: readonly WatchedKind[]) => kinds.map(resourceOf);

describe("policies of other projects", () => {
  it("are those of the table that can change what becomes of traffic", () => {
    expect(named(foreignWatchedKinds)).toEqual(
      expect.arrayContaining([
        "globalnetworkpolicies.crd.projectcalico.org",
        "clusternetworkpolicies.networking.k8s.aws",
        "authorizationpolicies.security.istio.io",
      ]),
    );
    expect(named(foreignWatchedKinds)).not.toContain("stagednetworkpolicies.projectcalico.org");
    expect(new Set(effectiveForeignKinds.map(({ effect }) => effect.kind))).toEqual(
      new Set(["l3-l4", "l7", "host"]),
    );
  });

  it("may be followed by the controller, and neither read nor written by others", () => {
    const [controller, agent] = ["tierwall-controller", "tierwall-agent"].map(clusterRole) as [Role, Role];
    for (const kind of allKinds)
      for (const verb of ["list", "watch"])
        expect([resourceOf(kind), mayDo(controller, verb, kind)]).toEqual([resourceOf(kind), true]);
    for (const kind of foreignWatchedKinds) {
      for (const verb of ["get", "create", "update", "patch", "delete"])
        expect([resourceOf(kind), verb, mayDo(controller, verb, kind)]).toEqual([
          resourceOf(kind),
          verb,
          false,
        ]);
      for (const verb of ["list", "watch"]) expect(mayDo(agent, verb, kind)).toBe(false);
    }
    for (const kind of watchedKinds) expect(mayDo(agent, "watch", kind)).toBe(true);
  });

  it("may be listed with the role of docs/how-to/live.md", () => {
    const page = readFileSync(new URL("../../../../docs/how-to/live.md", import.meta.url), "utf8");
    const role = parse(/```yaml\n(.*?ClusterRole.*?)```/s.exec(page)![1]!) as Role;
    expect(named(allKinds.filter((kind) => !mayDo(role, "list", kind)))).toEqual([]);
  });

  it("are named once, whatever groups have them", () => {
    const calico = effectiveForeignKinds.filter(({ kind }) => kind === "GlobalNetworkPolicy");
    expect(calico).toHaveLength(2);
    expect(namesOfForeign(calico)).toBe("Calico GlobalNetworkPolicy");
  });
});
