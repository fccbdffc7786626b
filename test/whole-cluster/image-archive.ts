import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Layers } from "./layers.js";

export interface Image {
  readonly names: readonly string[];
  readonly layers: Layers;
  readonly entrypoint: readonly string[];
  readonly environment?: readonly string[];
  readonly user?: string;
}

const path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Writes images to one file that `docker load` and `ctr images import` read. Layers that they share are in it once. */
export function writeImages(file: string, images: readonly Image[]): void {
  const folder = mkdtempSync(`${file}.`);
  const packed = new Map<string, string>();
  const digestOf = (layer: string): string => {
    const digest = packed.get(layer) ?? pack(layer, folder);
    packed.set(layer, digest);
    return digest;
  };
  const manifest = images.map((image) => {
    const digests = image.layers.map(digestOf);
    const config = JSON.stringify(configurationOf(image, digests));
    const name = `${sha256(config)}.json`;
    writeFileSync(join(folder, name), config);
    return { Config: name, RepoTags: image.names, Layers: digests.map((digest) => `${digest}.tar`) };
  });
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
  execFileSync("tar", ["-C", folder, "-cf", file, "."]);
  rmSync(folder, { recursive: true });
}

function pack(layer: string, folder: string): string {
  const temporary = join(folder, "layer");
  execFileSync("tar", ["-C", layer, "--numeric-owner", "--owner=0", "--group=0", "-cf", temporary, "."]);
  const digest = sha256(readFileSync(temporary));
  renameSync(temporary, join(folder, `${digest}.tar`));
  return digest;
}

const configurationOf = ({ entrypoint, environment = [], user = "" }: Image, digests: readonly string[]) => ({
  architecture: process.arch === "x64" ? "amd64" : process.arch,
  os: "linux",
  config: { Env: [path, ...environment], Entrypoint: entrypoint, User: user, WorkingDir: "/" },
  rootfs: { type: "layers", diff_ids: digests.map((digest) => `sha256:${digest}`) },
  history: digests.map(() => ({})),
});

const sha256 = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex");
