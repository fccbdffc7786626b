import type { State } from "../src/state/state.js";
import type { Facts } from "../src/cluster/model.js";
import { parseManifest } from "../src/manifest/parse.js";
import { formatAddress } from "../src/net/address.js";
import { formatCidr, parseCidr } from "../src/net/cidr.js";
import { address, manifestsOf } from "./arbitrary/arbitrary-cluster.js";
import type { Manifest } from "./arbitrary/arbitrary-vocabulary.js";
import { stateOf } from "./arbitrary/scenario.js";
import type { Counterexample } from "./search.js";

/*
 * A found case as a file: the difference in a comment, facts about the cluster in the first
 * document, then the objects, one per line.
 */

/** Facts as texts. */
interface WrittenFacts {
  readonly podCidrs: readonly string[];
  readonly apiServer?: readonly string[];
  readonly dns?: readonly { readonly name: string; readonly addresses: readonly string[] }[];
}

export function formatCase({ scenario, complaint }: Counterexample): string {
  const { cluster, policies, facts } = scenario;
  const documents = [{ facts: writeFacts(facts) }, ...manifestsOf(cluster), ...policies];
  const comment = complaint
    .split("\n")
    .map((line) => `# ${line}\n`)
    .join("");
  return `${comment}${documents.map((document) => `${flow(document)}\n`).join("---\n")}`;
}

export function readCase(text: string): State {
  const { documents, diagnostics } = parseManifest(text, "case.yaml");
  if (diagnostics.length > 0) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const [first, ...objects] = documents.map(({ value }) => value);
  const { facts } = first as unknown as { readonly facts: WrittenFacts };
  return stateOf(objects as unknown as readonly Manifest[], { facts: readFacts(facts) });
}

function writeFacts({ podCidrs = [], apiServer, dns }: Partial<Facts>): WrittenFacts {
  return {
    podCidrs: podCidrs.map(formatCidr),
    ...(apiServer === undefined ? {} : { apiServer: apiServer.map(formatAddress) }),
    ...(dns === undefined
      ? {}
      : { dns: dns.map(({ name, addresses }) => ({ name, addresses: addresses.map(formatAddress) })) }),
  };
}

function readFacts({ podCidrs, apiServer, dns }: WrittenFacts): Partial<Facts> {
  return {
    podCidrs: podCidrs.map((text) => parseCidr(text)!),
    ...(apiServer === undefined ? {} : { apiServer: apiServer.map(address) }),
    ...(dns === undefined
      ? {}
      : { dns: dns.map(({ name, addresses }) => ({ name, addresses: addresses.map(address) })) }),
  };
}

/** YAML on one line: JSON whose keys are bare where they may be. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([key, item]) => `${/^[A-Za-z]\w*$/.test(key) ? key : JSON.stringify(key)}: ${flow(item)}`,
  );
  return `{${fields.join(", ")}}`;
}
