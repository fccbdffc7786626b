import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { convert, isProven, type Target } from "@tierwall/core/analysis";
import { compareEverywhere } from "@tierwall/core/prove";
import { parseCidr } from "@tierwall/core/model";
import { readState, type State } from "@tierwall/core/state";
import { describe, expect, it } from "vitest";

/* Every example is converted to every API. Those that are not listed here are proven; these are refused, for a reason. */

const l7 = "inspects requests (dns), which no other API can";
const manySubjects = "there is only one BaselineAdminNetworkPolicy";

const refused: Readonly<Record<Target, Readonly<Record<string, string>>>> = {
  "cluster-network-policy": { "cfp30572-motivation-dns-proxy": l7, "cfp30572-observe-dns": l7 },
  "network-policy-api-v1alpha1": {
    "cfp30572-motivation-dns-proxy": l7,
    "cfp30572-observe-dns": l7,
    "mixed-six-apis": manySubjects,
    "npep285-story1-many-baselines": manySubjects,
  },
  "network-policy": { "npep285-story1-many-baselines": "depend on missing information" },
};

/** No NetworkPolicy can allow ICMP and deny a port, or take from what a CiliumNetworkPolicy allows. */
const notProven: Readonly<Partial<Record<Target, readonly string[]>>> = {
  "network-policy": [
    "kep2091-samelabels-example",
    "kep2091-story4-tenants-notsamelabels",
    "kep2091-story4-tenants-pass-samelabels",
    "mixed-six-apis",
    "npep126-apiserver-block",
    "npep126-block-node-ports",
    "npep126-example-nodes",
  ],
};

/** S11.6: the same in every cluster. The others are so in the example's own cluster, for the tenants, or the pods, that it has. */
const sameEverywhere: Readonly<Record<Target, readonly string[]>> = {
  "cluster-network-policy": [
    "cfp30572-motivation-metadata-api",
    "draft-precedence-scenario",
    "kep2091-story1-deny-sensitive-namespace",
    "kep2091-story2-allow-dns-and-monitoring",
    "kep2091-story3-delegate-with-pass",
    "kep2091-story5-baseline",
    "npep126-apiserver-allow",
    "npep126-apiserver-block",
    "npep126-block-node-ports",
    "npep126-example-networks",
    "npep126-example-nodes",
    "npep126-external-dns",
    "npep126-intranet-not-internet",
    "npep285-story1-many-baselines",
  ],
  "network-policy-api-v1alpha1": [
    "cfp30572-motivation-metadata-api",
    "draft-precedence-scenario",
    "kep2091-story1-deny-sensitive-namespace",
    "kep2091-story2-allow-dns-and-monitoring",
    "kep2091-story3-delegate-with-pass",
    "kep2091-story5-baseline",
    "minimize-shop",
    "npep285-story2-single-crd",
  ],
  // Owners of namespaces can add to NetworkPolicies, but not to what these replace.
  "network-policy": [],
};

const examples = fileURLToPath(new URL("../examples", import.meta.url));
const folders = readdirSync(examples, { withFileTypes: true })
  // Guarantees have no cluster on which a conversion could be compared.
  .filter((entry) => entry.isDirectory() && !entry.name.startsWith("guarantees-"));

function stateOf(folder: string): State {
  const files = readdirSync(join(examples, folder), { recursive: true, encoding: "utf8" })
    // The same policies in the other spelling.
    .filter((file) => file.endsWith(".yaml") && !file.startsWith("seed-spelling"));
  const podCidrs = ["10.244.0.0/16", "fd00:10:244::/48"].flatMap((text) => parseCidr(text) ?? []);
  return readState(
    files.map((file) => ({ file, text: readFileSync(join(examples, folder, file), "utf8") })),
    { facts: { podCidrs } },
  );
}

describe.each(folders.map(({ name }) => name))("examples/%s", (folder) => {
  const state = stateOf(folder);

  it.each(Object.keys(refused) as Target[])("converts to %s, proven or for a reason not", (to) => {
    const { refusals, proof, after } = convert(state, { to });
    const reason = refused[to][folder];
    if (reason !== undefined) return expect(refusals[0]?.message).toContain(reason);
    expect(refusals).toEqual([]);
    if (proof === undefined) return;
    expect(isProven(proof)).toBe(notProven[to]?.includes(folder) !== true);
    const everywhere = compareEverywhere(state, after!).result;
    expect(everywhere).toBe(sameEverywhere[to].includes(folder) ? "Same" : "Different");
    // What differs here is no difference in every cluster.
    if (isProven(proof)) expect(proof.everywhere?.result).toBe(everywhere);
    else expect(everywhere).toBe("Different");
  });
});
