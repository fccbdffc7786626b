import { spawn } from "node:child_process";

/** The pager of the user, or `less`; undefined where output goes straight to the terminal, or to no terminal at all. */
export function pagerOf(
  stdout: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const { PAGER: named = "less", TERM: terminal } = env;
  if (stdout.isTTY !== true || terminal === "dumb") return undefined;
  return named === "" || named === "cat" ? undefined : named;
}

/** Shows a text that is longer than the screen; false where there is no such pager. */
export async function page(text: string, pager: string): Promise<boolean> {
  // As git does: colours are shown, and what fits one screen ends at once.
  const env = { LESS: "FRX", LV: "-c", ...process.env };
  return new Promise((resolve) => {
    const child = spawn(pager, { shell: true, stdio: ["pipe", "inherit", "inherit"], env });
    // A reader who has seen enough leaves before the end.
    child.stdin.on("error", () => undefined);
    child.on("error", () => resolve(false));
    // 127: the shell knows no such command.
    child.on("close", (status) => resolve(status !== 127));
    child.stdin.end(text);
  });
}

/** Whether a text is too long for the screen. */
export const isLongerThan = (text: string, rows: number): boolean => text.split("\n").length > rows;
