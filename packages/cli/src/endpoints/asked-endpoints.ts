import type { Result } from "@tierwall/core";
import { namedEndpoints } from "@tierwall/core/analysis";
import { diagnostic } from "@tierwall/core/manifest";
import type { Inventory } from "@tierwall/core/model";
import { completeEndpoint, type EndpointText, type Role } from "./endpoint-text.js";
import { pick } from "./pick.js";
import type { Choice } from "./picker.js";

/** Both endpoints of a question, as far as they were named. */
export interface EndpointArguments {
  readonly from?: string;
  readonly to?: string;
}

/** Arguments fill the places that --from and --to leave open. A text says what is wrong. */
export function parseEndpointArguments(
  args: readonly string[],
  flags: EndpointArguments,
): EndpointArguments | string {
  const left = [...args];
  const from = flags.from ?? left.shift();
  const to = flags.to ?? left.shift();
  const [surplus] = left;
  if (surplus !== undefined)
    return `too many arguments: \`${surplus}\` is a third endpoint; --from and --to take the place of arguments`;
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}

const both = "the source and the destination";

/** What is missing where no one can be asked for it. */
export function missingEndpoints({ from, to }: EndpointArguments): string | undefined {
  if (from !== undefined && to !== undefined) return undefined;
  const missing =
    from === undefined && to === undefined ? both : from === undefined ? "the source" : "the destination";
  const example = `tierwall explain ${from ?? "shop/cart"} ${to ?? "payments/api:8443"}`;
  return `${missing} ${missing === both ? "are" : "is"} missing; name both, as in \`${example}\`, or use --from and --to`;
}

export interface AskingOptions {
  readonly namespace?: string | undefined;
  /** Whether the user can be asked, on a terminal. */
  readonly interactive: boolean;
}

export interface AskedEnds {
  readonly from: string;
  readonly to: string;
  /** Whether the user chose one of them from a list. */
  readonly wasAsked: boolean;
}

/** Complete endpoints; the user is asked for what is missing or ambiguous. Undefined where the user gave up. */
export async function askedEndpoints(
  cluster: Inventory,
  named: EndpointArguments,
  options: AskingOptions,
): Promise<Result<AskedEnds> | undefined> {
  const from = await endpointOf(cluster, named.from, "source", options);
  if (from?.ok !== true) return from;
  const to = await endpointOf(cluster, named.to, "destination", options);
  if (to?.ok !== true) return to;
  const wasAsked = from.value.wasAsked || to.value.wasAsked;
  return { ok: true, value: { from: from.value.text, to: to.value.text, wasAsked } };
}

interface AskedEnd {
  readonly text: string;
  readonly wasAsked: boolean;
}

async function endpointOf(
  cluster: Inventory,
  typed: string | undefined,
  role: Role,
  { namespace, interactive }: AskingOptions,
): Promise<Result<AskedEnd> | undefined> {
  const all = (): readonly Choice[] =>
    namedEndpoints(cluster, role).map(({ text, what }) => ({ value: text, note: what }));
  if (typed === undefined) return chosen(await pick(titles[role], all()), "");
  const complete = completeEndpoint(cluster, typed, role, namespace);
  if (complete.ok) return { ok: true, value: { text: complete.text, wasAsked: false } };
  if (!interactive || complete.choices.length === 0) return { ok: false, diagnostic: incomplete(complete) };
  const choices = complete.choices.map(({ text, what }) => ({ value: text, note: what }));
  return chosen(
    await pick(`${titles[role]} (\`${complete.name}\` has no namespace)`, choices),
    complete.port,
  );
}

const titles: Readonly<Record<Role, string>> = { source: "Source", destination: "Destination" };

const chosen = (value: string | undefined, port: string): Result<AskedEnd> | undefined =>
  value === undefined ? undefined : { ok: true, value: { text: `${value}${port}`, wasAsked: true } };

/** How many are named in a message. */
const most = 5;

export function incomplete({ name, port, choices }: Extract<EndpointText, { ok: false }>) {
  const message = `\`${name}\` has no namespace; write \`NAMESPACE/${name}\`, or use -n NAMESPACE`;
  const names = choices.slice(0, most).map(({ text }) => `\`${text}${port}\``);
  const more = choices.length > most ? `, or one of ${choices.length - most} more` : "";
  const [last, ...others] = names.toReversed();
  if (last === undefined) return diagnostic("TW1501", message);
  const listed = others.length === 0 ? last : `${others.toReversed().join(", ")} or ${last}`;
  return diagnostic("TW1501", message, { hint: `Did you mean ${listed}${more}?` });
}
