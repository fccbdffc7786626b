import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/* The kernel keeps what the agent wrote: every page about writing rules also says how to remove them. */

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

const pages = [
  "README.md",
  ...readdirSync(new URL("../../docs", import.meta.url), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !name.startsWith("reference/cli/"))
    .map((name) => `docs/${name}`),
];

/** `tierwall agent`, run or apply; the other actions ask an agent that runs. */
const writes = /tierwall agent (?!status|confirm|give-up|--cleanup)(apply\b|-)/;

/** Blocks of commands: indented, or in fences. */
function commandBlocks(text: string): readonly string[] {
  const fenced = [...text.matchAll(/```(?:sh|console)\n([\s\S]*?)```/g)].map(([, block]) => block!);
  const indented = [...text.matchAll(/\n\n((?: {4}\S.*\n)+)/g)].map(([, block]) => block!);
  return [...fenced, ...indented].filter((block) => writes.test(block));
}

describe("`tierwall agent --cleanup` is documented where rules are written to a kernel", () => {
  it("in every block of commands of README.md and docs/", () => {
    const blocks = pages.flatMap((path) => commandBlocks(read(path)));
    expect(blocks.length).toBeGreaterThan(1);
    for (const block of blocks) expect(block).toContain("tierwall agent --cleanup");
  });

  it.each(["docs/how-to/uninstall.md", "docs/how-to/install.md", "docs/reference/nft.md"])(
    "in %s",
    (path) => {
      expect(read(path)).toContain("`tierwall agent --cleanup`");
    },
  );

  it.each(["agent", "nft"])("in the help of `tierwall %s`", (command) => {
    expect(read(`docs/reference/cli/${command}.md`)).toContain("tierwall agent --cleanup");
  });
});
