import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { removeFolders } from "../../packages/cli/testing/run-command.js";
import { commandsByPage } from "../documented-commands.js";
import { ReadersFolder } from "../readers-folder.js";
import { type ControlPlane, noControlPlane, startTimeout, testTimeout } from "./control-plane.js";
import { noKubectl } from "./kubectl.js";
import { startReadersCluster, withDocumentedContexts } from "./readers-cluster.js";

const reason = noControlPlane ?? noKubectl;
const title = reason === undefined ? "" : ` (skipped: ${reason})`;

vi.setConfig({ testTimeout });

describe.skipIf(reason)(`documented commands about a live cluster can be run as printed${title}`, () => {
  let plane: ControlPlane;
  let reader: ReadersFolder;

  beforeAll(async () => {
    plane = await startReadersCluster();
    reader = new ReadersFolder({ KUBECONFIG: withDocumentedContexts(plane.kubeconfig()) });
    const { status, output } = reader.run("kubectl apply --server-side -f deploy/crds");
    if (status !== 0) throw new Error(output);
    // The API server serves new kinds a moment after it has accepted their definitions.
    const isServed = () => expect(reader.run("kubectl get clusternetworkpolicies,guarantees").status).toBe(0);
    await vi.waitFor(isServed, { timeout: startTimeout, interval: 500 });
  }, startTimeout);
  afterAll(async () => {
    removeFolders();
    await plane?.stop();
  });

  // One folder for all pages, as there is one cluster; making one takes longer than most commands.
  it.each(commandsByPage("cluster"))("%s, in order", (_page, lines) => {
    const failed = lines.map((line) => ({ line, ...reader.run(line) })).filter((ran) => !isFine(ran));
    expect(failed).toEqual([]);
  });
});

/** Findings of Tierwall end with 1; for kubectl, that is an error, unless another page has created the same. */
function isFine({
  line,
  status,
  output,
}: {
  readonly line: string;
  readonly status: number | null;
  readonly output: string;
}): boolean {
  if (status === 0) return true;
  if (line.startsWith("kubectl create ")) return /AlreadyExists|already exists/.test(output);
  const endsWithKubectl = /(?:^|\| )kubectl [^|]*$/.test(line);
  return status === 1 && !endsWithKubectl;
}
