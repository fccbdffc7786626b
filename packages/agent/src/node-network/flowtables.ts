import { textAt } from "@tierwall/kube";
import type { Nft } from "../kernel/nft.js";
import { done, failed, type Outcome } from "../kernel/outcome.js";

/**
 * Why connections that a policy change cuts may continue, if other programs use flowtables: packets of a connection in a
 * flowtable are forwarded without passing the rules, until it has been idle for some time. Undefined if there are none. Fails if
 * they cannot be listed, as on a kernel without flowtables.
 */
export async function flowtablesInUse(nft: Pick<Nft, "objects">): Promise<Outcome<string | undefined>> {
  const listed = await nft.objects("list", "flowtables").catch((cause: unknown) => failed(String(cause)));
  if (!listed.ok) return listed;
  const names = listed.value.filter((object) => "flowtable" in object).map(nameOf);
  if (names.length === 0) return done(undefined);
  return done(
    `other programs use flowtables (${names.join(", ")}): established connections in them bypass the rules of this agent, ` +
      "so a policy change cuts them only when they are idle or leave the flowtable; new connections are not affected; " +
      "remove the `flow add` rules in those tables, or exclude the traffic of pods",
  );
}

/** `{"flowtable": {"family": "inet", "name": "f", "table": "filter", "hook": "ingress", "prio": 0, "dev": ["eth0"]}}`. */
function nameOf(object: object): string {
  const at = (key: string) => textAt(object, "flowtable", key) || "?";
  return `${at("name")} of the table ${at("family")} ${at("table")}`;
}
