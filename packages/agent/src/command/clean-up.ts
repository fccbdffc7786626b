import type { AgentOptions } from "../agent-options.js";
import { KernelTable } from "../kernel/kernel-table.js";
import { done, type Outcome } from "../kernel/outcome.js";

/** Removes everything of Tierwall from the kernel. Refused while an agent runs, which would restore it. */
export async function cleanUp({ table, node }: AgentOptions): Promise<Outcome<string>> {
  // Removing rules does not depend on bridges, so it also works without br_netfilter.
  const bridges = () => done([]);
  const opened = await KernelTable.open({ table, connectionMask: node.connectionMask, bridges });
  if (!opened.ok) return opened;
  const cleaned = await opened.value.cleanup();
  await opened.value.close();
  return cleaned.ok ? done(`removed the table \`${table}\` from the kernel`) : cleaned;
}
