import { execFileSync, spawnSync } from "node:child_process";

/** Why the kernel's nftables cannot be used here; undefined where they can. */
export function whyNoNft(): string | undefined {
  if (process.getuid?.() !== 0) return "needs root";
  for (const tool of ["nft", "ip"])
    if (spawnSync(tool, ["-V"]).error !== undefined) return `needs \`${tool}\``;
  return undefined;
}

/** A network namespace of its own, for as long as `use` runs: the tables of the machine are not touched. */
export function inNamespace<T>(
  name: string,
  use: (nft: (args: readonly string[], input?: string) => string) => T,
): T {
  execFileSync("ip", ["netns", "add", name]);
  try {
    return use((args, input) =>
      execFileSync("ip", ["netns", "exec", name, "nft", ...args], {
        encoding: "utf8",
        maxBuffer: 1 << 28,
        stdio: ["pipe", "pipe", "pipe"],
        ...(input === undefined ? {} : { input }),
      }),
    );
  } finally {
    execFileSync("ip", ["netns", "del", name]);
  }
}

/** The lines of a table without what does not matter: indentation, and the order of blocks and elements. */
export function blocksOf(text: string): ReadonlyMap<string, readonly string[]> {
  const joined = text.replace(/elements = \{([^}]*)\}/g, (_all, inside: string) => {
    const elements = inside.split(",").map((element) => element.trim().replace(/\s+/g, " "));
    return `elements = ${elements.toSorted().join(", ")}`;
  });
  const blocks = new Map<string, string[]>();
  let current: string[] = [];
  for (const line of joined.split("\n").map((one) => one.trim())) {
    if (line.endsWith(" {")) blocks.set(line, (current = []));
    else if (line !== "" && line !== "}" && !line.startsWith("#")) current.push(line);
  }
  for (const [head, lines] of blocks) if (!head.startsWith("chain ")) lines.sort();
  return blocks;
}
