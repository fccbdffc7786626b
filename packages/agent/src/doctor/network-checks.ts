import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { textAt } from "@tierwall/kube";
import type { Nft } from "../kernel/nft.js";
import { flowtablesInUse, ipvsInUse } from "../node-network/other-programs.js";
import { parsedJson } from "../observe/parsed-json.js";
import { failure, type Found, ok, unknown, warning } from "./finding.js";
import { numberIn } from "./kernel-checks.js";

/** A chain of nftables that a hook of the kernel calls, or that other chains call. */
interface ListedChain {
  readonly family: string;
  readonly table: string;
  readonly name: string;
  readonly hook: string;
  readonly policy: string;
}

async function chainsOf(nft: Nft): Promise<readonly ListedChain[] | undefined> {
  const listed = await nft.objects("list", "chains");
  if (!listed.ok) return undefined;
  return listed.value
    .filter((object) => "chain" in object)
    .map((object) => {
      const at = (key: string) => textAt(object, "chain", key);
      return {
        family: at("family"),
        table: at("table"),
        name: at("name"),
        hook: at("hook"),
        policy: at("policy"),
      };
    });
}

/** kube-proxy rewrites connections to Services; the agent has to see them after that (S1.9). */
export async function kubeProxy(nft: Nft, root = "/"): Promise<Found> {
  const ipvs = ipvsInUse(root);
  if (ipvs !== undefined) return failure(ipvs);
  const chains = await chainsOf(nft);
  if (chains === undefined) return unknown("chains of nftables cannot be listed");
  if (chains.some(({ table }) => table === "kube-proxy")) return ok("mode nftables");
  if (chains.some(({ name }) => name === "KUBE-SERVICES")) return ok("mode iptables");
  return unknown(
    "no rules of kube-proxy were found: Services are not implemented here, or by another program",
    "if another program replaces kube-proxy with eBPF, its connections to Services bypass nftables",
  );
}

/** Chains of others see the same packets. A packet that one of them drops is lost, whatever this agent decides. */
export async function otherHooks(nft: Nft): Promise<Found> {
  const chains = await chainsOf(nft);
  if (chains === undefined) return unknown("chains of nftables cannot be listed");
  const others = chains.filter(
    ({ hook, table }) => ["forward", "input", "output"].includes(hook) && !/^tierwall(-b)?$/.test(table),
  );
  const nameOf = ({ family, table, name }: ListedChain) => `${family} ${table} ${name}`;
  const dropping = others.filter(({ policy }) => policy === "drop");
  if (dropping.length > 0)
    return warning(
      `chains of other programs drop what they do not accept: ${dropping.map(nameOf).join(", ")}`,
      "check that they accept the traffic of pods; `nft monitor trace` shows which chain drops a packet",
    );
  if (others.length === 0) return ok("no chains of other programs");
  return ok(`chains of other programs, none of which drops by default: ${others.map(nameOf).join(", ")}`);
}

export async function flowtables(nft: Nft): Promise<Found> {
  const found = await flowtablesInUse(nft);
  if (!found.ok) return unknown(`flowtables cannot be listed: ${found.message}`);
  return found.value === undefined ? ok("no flowtables") : warning(found.value);
}

/** Packets between two pods on one bridge pass nftables only with these settings. The agent sets them; this only reads. */
export function bridges(root = "/"): Found {
  const names = folder(join(root, "sys/class/net"))?.filter(
    (name) => folder(join(root, "sys/class/net", name, "bridge")) !== undefined,
  );
  if (names === undefined || names.length === 0) return ok("no bridges");
  const settings = ["bridge-nf-call-iptables", "bridge-nf-call-ip6tables"];
  const off = settings.filter((name) => numberIn(root, `proc/sys/net/bridge/${name}`) !== 1);
  if (off.length === 0) return ok(`packets on bridges pass the rules (${names.join(", ")})`);
  return warning(
    `packets between two pods on one bridge (${names.join(", ")}) bypass the rules: ${off.map((name) => `net.bridge.${name}`).join(" and ")} is not 1`,
    "load the module br_netfilter; the agent sets the rest when it starts. Bridges without pods do not matter",
  );
}

/** Plugins that enforce NetworkPolicies themselves: in addition to the agent, or on a path that nftables does not see. */
const enforcing: Readonly<Record<string, "in addition" | "on a path of its own">> = {
  calico: "in addition",
  "weave-net": "in addition",
  "aws-cni": "in addition",
  "cilium-cni": "on a path of its own",
  antrea: "on a path of its own",
  "ovn-k8s-cni-overlay": "on a path of its own",
  "kube-ovn": "on a path of its own",
};

/** The first file in alphabetical order is the one that container runtimes use. */
export function networkPlugin(root = "/"): Found {
  const path = join(root, "etc/cni/net.d");
  const files = folder(path)
    ?.filter((name) => /\.(conf|conflist|json)$/.test(name))
    .toSorted();
  if (files === undefined)
    return unknown(
      "/etc/cni/net.d cannot be read here",
      "run the doctor on the node itself to check its network plugin",
    );
  const [first] = files;
  if (first === undefined)
    return failure("no network plugin is configured in /etc/cni/net.d: pods of this node cannot start");
  const config = parsedJson(textOf(join(path, first)));
  const plugins = pluginTypes(config);
  if (plugins.length === 0) return warning(`${first} is not a CNI configuration`);
  const also = plugins.find((type) => enforcing[type] !== undefined);
  if (also === undefined) return ok(`${plugins.join(", ")} (${first})`);
  return enforcing[also] === "in addition"
    ? warning(
        `the network plugin ${also} can enforce NetworkPolicies too: then a connection must be allowed by both`,
        "switch off its policies, or run the controller without the agent",
      )
    : failure(
        `the network plugin ${also} forwards packets with eBPF or Open vSwitch, which nftables does not see`,
        "use a plugin that forwards packets through the kernel, such as ptp or bridge, or run the controller without the agent",
      );
}

function pluginTypes(config: unknown): readonly string[] {
  const listed: unknown = (config as { plugins?: unknown } | undefined)?.plugins;
  const plugins: readonly unknown[] = Array.isArray(listed) ? listed : [config];
  return plugins.map((plugin) => textAt(plugin, "type")).filter((type) => type !== "");
}

function folder(path: string): readonly string[] | undefined {
  try {
    return readdirSync(path);
  } catch {
    return undefined;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
