import { textAt } from "@tierwall/kube";
import type { Nft } from "../kernel/nft.js";
import { done, failed, type Outcome } from "../kernel/outcome.js";

/**
 * Why connections that a change of policy cuts may go on, if others have flowtables: packets of a connection that is in one are
 * forwarded before any rule of ours sees them, until it has been idle for some time. Undefined where there are none. Where they
 * cannot be listed, as on a kernel without flowtables, nothing is known.
 */
export async function flowtablesInUse(nft: Pick<Nft, "objects">): Promise<Outcome<string | undefined>> {
  const listed = await nft.objects("list", "flowtables").catch((cause: unknown) => failed(String(cause)));
  if (!listed.ok) return listed;
  const names = listed.value.filter((object) => "flowtable" in object).map(nameOf);
  if (names.length === 0) return done(undefined);
  return done(
    `flowtables of others are in use (${names.join(", ")}): established connections in them bypass the rules of this agent, ` +
      "so that a change of policy cuts them only when they are idle or leave the flowtable; new connections are judged; " +
      "remove the `flow add` rules in those tables, or keep traffic of pods out of them",
  );
}

/** `{"flowtable": {"family": "inet", "name": "f", "table": "filter", "hook": "ingress", "prio": 0, "dev": ["eth0"]}}`. */
function nameOf(object: object): string {
  const at = (key: string) => textAt(object, "flowtable", key) || "?";
  return `${at("name")} of the table ${at("family")} ${at("table")}`;
}
