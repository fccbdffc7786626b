import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { folderOf, removeFolders } from "../../packages/cli/testing/run-command.js";
import { machineApiServer, noMachine, ReadersMachine, type RunningLine } from "../docs/readers-machine.js";
import { newCommandsByPage } from "../documented-commands.js";
import { ReadersFolder } from "../readers-folder.js";
import { type ControlPlane, noControlPlane, startTimeout, testTimeout } from "./control-plane.js";
import { noKubectl } from "./kubectl.js";
import { startReadersCluster, withDocumentedContexts } from "./readers-cluster.js";

/* Documented commands that run until they are stopped, and those about the agent: started as printed, used and stopped. */

const noNft = spawnSync("nft", ["--version"]).status === 0 ? undefined : "no nft in PATH";
const reason = noControlPlane ?? noKubectl ?? noMachine ?? noNft;
const title = reason === undefined ? "" : ` (skipped: ${reason})`;

vi.setConfig({ testTimeout });

/** What services print when they are ready. */
function readyLine(line: string): RegExp | undefined {
  if (/ serve\b/.test(line)) return /http:\/\/\S+:8080/;
  if (/ controller\b/.test(line)) return /"msg":"leading"/;
  if (/ --watch\b/.test(line)) return /(?:ALLOWED|DENIED) /;
  if (/ agent apply\b/.test(line)) return /confirm/;
  return / agent -/.test(line) && !line.includes("--cleanup") ? /rules are in the kernel/ : undefined;
}

/** Lines that ask an agent that runs. */
const asksAgent = (line: string) => / hits\b| agent status\b/.test(line) && !line.includes("--state");
/** Lines that answer a trial of rules. */
const answersTrial = (line: string) => / agent (?:confirm|give-up)\b/.test(line);

describe.skipIf(reason)(`documented services can be run as printed${title}`, () => {
  let plane: ControlPlane;
  let kubeconfig: string;
  let reader: ReadersFolder;
  const files = folderOf({
    "page-token": "0123456789abcdef0123456789abcdef0123456789abcdef\n",
    "node.yaml": "{apiVersion: v1, kind: Node, metadata: {name: web-1}}\n",
  });

  beforeAll(async () => {
    plane = await startReadersCluster();
    kubeconfig = withDocumentedContexts(plane.kubeconfig("admin", machineApiServer));
    reader = new ReadersFolder({ KUBECONFIG: plane.kubeconfig() });
    const { status, output } = reader.run(
      "kubectl apply --server-side -f deploy/crds -f deploy/install.yaml",
    );
    if (status !== 0) throw new Error(output);
  }, startTimeout);
  afterAll(async () => {
    removeFolders();
    await plane?.stop();
  });

  it.each(newCommandsByPage("service", "node"))("%s, in order", async (_page, lines) => {
    const machine = await ReadersMachine.start(
      Number(new URL(plane.server).port),
      reader.folder,
      reader.environment({ KUBECONFIG: kubeconfig }),
      ["page-token", "node.yaml"].map((name) => join(files, name)),
    );
    let running: RunningLine | undefined;
    /** Ends the service that runs, and starts this line instead. */
    const serve = async (line: string) => {
      expect([running?.line, await running?.stop()]).toEqual([running?.line, running && 0]);
      running = machine.start(line);
      await running.says(readyLine(line)!);
    };
    try {
      const trial = lines.find((line) => / agent apply\b/.test(line));
      for (const line of lines) {
        if (readyLine(line) !== undefined) {
          await serve(line);
          continue;
        }
        if (asksAgent(line) && !running?.line.includes(" agent ")) await serve("tierwall agent --shadow");
        if (answersTrial(line) && running?.line !== trial) await serve(trial!);
        if (/--cleanup|--state/.test(line)) {
          await running?.stop();
          running = undefined;
        }
        const ran = machine.start(line);
        expect([line, await ran.ended, ran.output]).toEqual([line, 0, expect.any(String)]);
        if (answersTrial(line)) {
          await running?.ended;
          running = undefined;
        }
      }
    } finally {
      await running?.stop();
      await machine.stop();
    }
  });
});
