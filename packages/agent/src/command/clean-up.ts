import type { AgentOptions } from "../agent-options.js";
import { KernelTable } from "../kernel/kernel-table.js";
import { done, type Outcome } from "../kernel/outcome.js";

/** Removes everything of ours from the kernel; refused while an agent runs, which would put it back. */
export async function cleanUp({ table, node }: AgentOptions): Promise<Outcome<string>> {
  // Who takes rules away needs no bridge to call them: where br_netfilter is missing, rules can be removed all the same.
  const bridges = () => done([]);
  const opened = await KernelTable.open({ table, connectionMask: node.connectionMask, bridges });
  if (!opened.ok) return opened;
  const cleaned = await opened.value.cleanup();
  await opened.value.close();
  return cleaned.ok ? done(`nothing of the table \`${table}\` is left in the kernel`) : cleaned;
}
