import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { findProgram, searchPath } from "../kernel/parent-death.js";

/** The plugins of ulogd2 that the agent uses. */
const needed = ["inppkt_NFLOG", "raw2packet_BASE", "filter_IFINDEX", "filter_IP2STR", "output_JSON"];

export interface InstalledUlogd {
  readonly program: string;
  /** The folder with its plugins. */
  readonly plugins: string;
}

/** Where ulogd is installed; or what is missing, and how to install it. */
export function findUlogd(
  programFolders: readonly string[] = searchPath(),
  pluginFolders: readonly string[] = usualPluginFolders(),
): InstalledUlogd | { readonly missing: string } {
  const missing = (what: string) => ({ missing: `${what}; on Debian, \`apt install ulogd2 ulogd2-json\`` });
  const program = findProgram("ulogd", programFolders);
  if (program === undefined) return missing("`ulogd` is not installed");
  const plugins = pluginFolders.find((folder) => existsSync(join(folder, "ulogd_inppkt_NFLOG.so")));
  if (plugins === undefined) return missing(`the plugins of \`${program}\` were not found`);
  const lacking = needed.find((name) => !existsSync(join(plugins, `ulogd_${name}.so`)));
  if (lacking !== undefined) return missing(`\`ulogd_${lacking}.so\` is not in \`${plugins}\``);
  return { program, plugins };
}

/** Distributions differ; on Debian the path contains the architecture. */
function usualPluginFolders(): readonly string[] {
  const architectures = readdirSync("/usr/lib").filter((name) => name.includes("-linux-"));
  return [
    ...architectures.map((name) => `/usr/lib/${name}/ulogd`),
    "/usr/lib64/ulogd",
    "/usr/lib/ulogd",
    "/usr/local/lib/ulogd",
  ];
}

export function ulogdConfig(plugins: string, group: number, socket: string): string {
  const plugin = (name: string) => `plugin="${join(plugins, `ulogd_${name}.so`)}"`;
  return [
    "[global]",
    'logfile="stdout"',
    "loglevel=5",
    ...needed.map(plugin),
    "stack=log:NFLOG,base:BASE,ifi:IFINDEX,ip2str:IP2STR,json:JSON",
    "[log]",
    `group=${group}`,
    // Delivered after at most a tenth of a second, or when this many are queued.
    "netlink_qtimeout=10",
    "netlink_qthreshold=50",
    "netlink_socket_buffer_size=1048576",
    "netlink_socket_buffer_maxsize=4194304",
    "[json]",
    'mode="unix"',
    `file="${socket}"`,
    "",
  ].join("\n");
}
