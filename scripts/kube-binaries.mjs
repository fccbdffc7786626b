// Where tests that want a real API server get it: kube-apiserver and etcd, and Helm for the chart, as
// `node scripts/kube-binaries.mjs` prints them. Other programs of Kubernetes are named:
// `node scripts/kube-binaries.mjs kubelet kube-proxy`.
// In this order: KUBEBUILDER_ASSETS, the cache, PATH, the official downloads, and where those cannot be reached a build
// from Go's module proxy (some ten minutes of CPU the first time), unless `--no-build` was given. What was downloaded or built
// stays in the cache.

import { createHash } from "node:crypto";
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { parseArgs } from "node:util";
import { isMain, root, run, say } from "./prepare.mjs";

export const kubernetesVersion = "1.35.4";
/** The one that this Kubernetes is built and tested with: its go.mod names it. */
const etcdVersion = "3.6.5";
/** One that knows this Kubernetes, so that both are built from the same parts. */
const helmVersion = "3.20.2";
const cache = join(root, ".cache", "kube", kubernetesVersion);
/** What is fetched by default: enough for `npm test`. */
const usual = ["kube-apiserver", "etcd", "helm"];

/**
 * Where these programs are, in their order; undefined where one would have to be fetched first.
 * @param {readonly string[]} names
 * @returns {string[] | undefined}
 */
export function findPrograms(names) {
  const found = names.map((name) => places(name).find(isExecutable));
  return found.includes(undefined) ? undefined : found;
}

/**
 * The same, after they were fetched or, unless that is too long to wait, built if need be.
 * @param {readonly string[]} names
 * @param {{ build?: boolean }} [options]
 */
export async function getPrograms(names, { build = true } = {}) {
  const missing = names.filter((name) => findPrograms([name]) === undefined);
  if (missing.length > 0) {
    mkdirSync(cache, { recursive: true });
    if (!(await download(missing)))
      if (build) buildWithGo(missing);
      else
        say(
          `tests that want ${missing.join(", ")} are skipped; \`npm run test:cluster\` builds what is missing with Go`,
        );
  }
  return findPrograms(names);
}

export function findKubeBinaries() {
  const found = findPrograms(["kube-apiserver", "etcd"]);
  return found && { apiserver: found[0], etcd: found[1] };
}

export function findHelm() {
  return findPrograms(["helm"])?.[0];
}

function places(name) {
  const folders = [process.env.KUBEBUILDER_ASSETS ?? [], cache, process.env.PATH?.split(delimiter) ?? []];
  return folders.flat().map((folder) => join(folder, name));
}

export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function download(wanted) {
  if (process.platform !== "linux") return false;
  const arch = process.arch === "x64" ? "amd64" : process.arch;
  try {
    for (const name of wanted) keep(name, await (downloads[name] ?? downloadKube)(arch, name));
    return true;
  } catch (error) {
    say(`the official downloads cannot be had (${error.message})`);
    return false;
  }
}

const downloads = { etcd: downloadEtcd, helm: downloadHelm };

async function downloadKube(arch, name) {
  const url = `https://dl.k8s.io/v${kubernetesVersion}/bin/linux/${arch}/${name}`;
  const sum = (await fetched(`${url}.sha256`)).toString().trim();
  return checked(await fetched(url), sum, url);
}

async function downloadHelm(arch) {
  const packed = `helm-v${helmVersion}-linux-${arch}.tar.gz`;
  const sum = (await fetched(`https://get.helm.sh/${packed}.sha256sum`)).toString().split(" ")[0];
  return unpacked(checked(await fetched(`https://get.helm.sh/${packed}`), sum, packed), `linux-${arch}/helm`);
}

async function downloadEtcd(arch) {
  const folder = `https://github.com/etcd-io/etcd/releases/download/v${etcdVersion}`;
  const packed = `etcd-v${etcdVersion}-linux-${arch}`;
  const sums = (await fetched(`${folder}/SHA256SUMS`)).toString();
  const sum = sums.split("\n").find((line) => line.endsWith(` ${packed}.tar.gz`)) ?? "";
  const archive = checked(await fetched(`${folder}/${packed}.tar.gz`), sum.split(" ")[0], packed);
  return unpacked(archive, `${packed}/etcd`);
}

function unpacked(archive, file) {
  const { status, stdout, stderr } = run("tar", ["-xzO", file], { input: archive, encoding: "buffer" });
  if (status !== 0) throw new Error(`tar: ${stderr}`);
  return stdout;
}

async function fetched(url) {
  say(`downloading ${url}`);
  const response = await fetch(url, { signal: AbortSignal.timeout(300_000) });
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

function checked(content, sum, what) {
  if (createHash("sha256").update(content).digest("hex") === sum) return content;
  throw new Error(`${what}: the checksum is another`);
}

/** In one step, so that who looks meanwhile never finds half a program. */
function keep(name, content) {
  const temporary = join(cache, `.${name}.${process.pid}`);
  writeFileSync(temporary, content);
  chmodSync(temporary, 0o755);
  renameSync(temporary, join(cache, name));
}

/**
 * Kubernetes replaces its staging modules by folders of its own tree, so it cannot be `go install`ed. A module of Tierwall
 * requires the same versions of everything, and each staging module as it was published.
 */
function buildWithGo(wanted) {
  say(`building ${wanted.join(" and ")} with Go; this takes some minutes, and is kept in ${cache}`);
  const folder = mkdtempSync(join(tmpdir(), "tierwall-kube-"));
  try {
    const listed = go(folder, ["mod", "download", "-json", `k8s.io/kubernetes@v${kubernetesVersion}`]);
    const theirs = moduleOf(readFileSync(JSON.parse(listed).GoMod, "utf8"));
    const more = wanted.includes("helm") ? `require helm.sh/helm/v3 v${helmVersion}\n` : "";
    writeFileSync(join(folder, "go.mod"), `${theirs}${more}`);
    const stamp = ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"].map(
      (path) => `-X ${path}.gitVersion=v${kubernetesVersion}`,
    );
    for (const name of wanted) {
      const path = mainPackages[name] ?? `k8s.io/kubernetes/cmd/${name}`;
      go(folder, [
        "build",
        "-mod=mod",
        "-trimpath",
        "-ldflags",
        `-s -w ${stamp.join(" ")}`,
        "-o",
        name,
        path,
      ]);
      keep(name, readFileSync(join(folder, name)));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const mainPackages = { etcd: "go.etcd.io/etcd/server/v3", helm: "helm.sh/helm/v3/cmd/helm" };

/** A go.mod in place of the one of Kubernetes: the same `go`, `godebug` and versions, with staging as published. */
export function moduleOf(text) {
  const published = `v0.${kubernetesVersion.split(".").slice(1).join(".")}`;
  return `${text
    .replace("module k8s.io/kubernetes\n", "module tierwall.dev/kube-binaries\n")
    .replaceAll(/=> \.\/staging\/src\/(\S+)/g, `=> $1 ${published}`)}
require k8s.io/kubernetes v${kubernetesVersion}
`;
}

function go(cwd, args) {
  const settings = { GOTOOLCHAIN: "local", CGO_ENABLED: "0", GOWORK: "off", GO111MODULE: "on" };
  const { status, stdout, stderr, error } = run("go", args, { cwd, env: { ...process.env, ...settings } });
  if (status !== 0) throw new Error(`go ${args.slice(0, 2).join(" ")}: ${error?.message ?? stderr}`);
  return stdout;
}

if (isMain(import.meta.url)) {
  const { values, positionals: asked } = parseArgs({
    options: { "no-build": { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const found = await getPrograms(asked.length > 0 ? asked : usual, { build: !values["no-build"] });
  console.log(found?.join("\n") ?? "not all of them are here");
}
