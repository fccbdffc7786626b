import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bases, runBuildStage, stages } from "../install/build-stage.js";
import { type Image, writeImages } from "./image-archive.js";
import { debianWithNode, layerOfCommand, layerOfFolder, type Layers } from "./layers.js";

/*
 * There is no container engine here. The images of the Dockerfile are built with its own steps, one layer per step; only the
 * base image, which comes from a registry, is replaced by a Debian of the same name with the Node of this machine.
 */

export const podImage = "tierwall.test/pod:1";
export const pauseImage = "tierwall.test/pause:1";
/** By this name the image of the agent is a newer one: what an upgrade asks for. */
export const newerTag = "0.1.0-next";

/** Writes all images of the cluster to a file. */
export function writeClusterImages(file: string): void {
  const scratch = mkdtempSync(join(tmpdir(), "tierwall-images-"));
  try {
    const built = join(scratch, "tierwall");
    mkdirSync(built);
    runBuildStage(built);
    const base = baseOf("controller");
    const server = join(scratch, "server");
    mkdirSync(server);
    cpSync(fileURLToPath(new URL("pod-server.mjs", import.meta.url)), join(server, "server.mjs"));
    writeImages(file, [
      { ...imageOf("controller", built, scratch), names: ["docker.io/library/tierwall:0.1.0"] },
      {
        ...imageOf("agent", built, scratch),
        names: ["0.1.0", newerTag].map((tag) => `docker.io/library/tierwall-agent:${tag}`),
      },
      {
        names: [podImage],
        layers: [base, layerOfFolder(server, "/", scratch)],
        entrypoint: ["node", "/server.mjs"],
      },
      { names: [pauseImage], layers: [base], entrypoint: ["sleep", "infinity"] },
    ]);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function baseOf(stage: string): string {
  const suite = /^node:\d+-(\w+)-slim$/.exec(bases.get(stage)!)?.[1];
  if (suite === undefined) throw new Error(`no Debian is known for ${bases.get(stage)}`);
  return debianWithNode(suite);
}

/** What the instructions of a stage make of its base. */
function imageOf(stage: string, built: string, scratch: string): Omit<Image, "names"> {
  let layers: Layers = [baseOf(stage)];
  const environment: string[] = [];
  let [user, entrypoint]: [string, readonly string[]] = ["", []];
  for (const { word, rest } of stages.get(stage)!)
    switch (word) {
      case "RUN":
        layers = [...layers, layerOfCommand(layers, rest, scratch)];
        break;
      case "COPY":
        layers = [...layers, layerOfFolder(built, rest.split(" ").at(-1)!, scratch)];
        break;
      case "ENV":
        environment.push(rest);
        break;
      case "USER":
        user = rest;
        break;
      case "ENTRYPOINT":
        entrypoint = JSON.parse(rest) as string[];
        break;
      default:
        throw new Error(`unsupported instruction: ${word}`);
    }
  return { layers, environment, user, entrypoint };
}
