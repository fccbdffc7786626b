import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

/* Every relative link of every Markdown file leads to a file, and to a heading of it where the link names one. */

const root = fileURLToPath(new URL("..", import.meta.url));
const listed = ["ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", "*.md"];
const pages = execFileSync("git", listed, { cwd: root, encoding: "utf8" })
  .split("\0")
  .filter((file) => file !== "" && existsSync(join(root, file)));

const proseOf = (file: string) => readFileSync(join(root, file), "utf8").replaceAll(/^```.*?^```$/gms, "");

/** As GitHub names headings. */
function anchorsOf(file: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading] of proseOf(file).matchAll(/^#{1,6} (.*)$/gm)) {
    const text = heading!.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", "");
    const name = text
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
      .replaceAll(" ", "-");
    let anchor = name;
    for (let n = 1; anchors.has(anchor); n++) anchor = `${name}-${n}`;
    anchors.add(anchor);
  }
  return anchors;
}

function problemWith(page: string, link: string): string | undefined {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : normalize(join(dirname(page), path));
  if (!existsSync(join(root, target))) return `${link}: there is no ${target}`;
  if (anchor === undefined || statSync(join(root, target)).isDirectory()) return undefined;
  return anchorsOf(target).has(anchor) ? undefined : `${link}: ${target} has no heading for #${anchor}`;
}

it.each(pages)("links of %s lead somewhere", (page) => {
  const prose = proseOf(page).replaceAll(/`[^`\n]*`/g, "");
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!);
  const relative = links.filter((link) => !/^[a-z]+:/.test(link));
  expect(relative.map((link) => problemWith(page, link)).filter((problem) => problem !== undefined)).toEqual(
    [],
  );
});
