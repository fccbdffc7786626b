import { parseArgs } from "node:util";

export interface Options {
  /** One row of the table; all of them when absent. */
  readonly only?: string;
  readonly output: "table" | "json";
  readonly seed: number;
}

export type Arguments =
  | { readonly kind: "run"; readonly options: Options }
  | { readonly kind: "help" }
  | { readonly kind: "mistake"; readonly message: string };

const known = {
  only: { type: "string" },
  output: { type: "string", short: "o" },
  seed: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

export function readArguments(args: readonly string[], rows: readonly string[]): Arguments {
  const { tokens } = parseArgs({ args: [...args], options: known, strict: false, tokens: true });
  const given = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind === "positional")
      return mistake(`\`${token.value}\` is not expected here; a row is named with \`--only\``);
    if (token.kind === "option-terminator") continue;
    if (!Object.hasOwn(known, token.name))
      return mistake(`there is no option \`${token.rawName}\`; there are: ${optionNames}`);
    if (token.name === "help") return { kind: "help" };
    if (token.value === undefined || token.value === "" || token.value.startsWith("-"))
      return mistake(`\`${token.rawName}\` needs a value behind it`);
    given.set(token.name, token.value);
  }
  const only = given.get("only");
  const output = given.get("output") ?? "table";
  const seed = given.get("seed") ?? "1";
  if (only !== undefined && !rows.includes(only))
    return mistake(`there is no row \`${only}\`; there are: ${rows.join(", ")}`);
  if (output !== "table" && output !== "json")
    return mistake(`\`${output}\` is no way to print; there are: table, json`);
  if (!/^\d{1,9}$/.test(seed)) return mistake(`\`${seed}\` is not a seed; a whole number is`);
  return {
    kind: "run",
    options: { output, seed: Number(seed), ...(only === undefined ? {} : { only }) },
  };
}

const optionNames = Object.keys(known)
  .map((name) => `\`--${name}\``)
  .join(", ");

const mistake = (message: string): Arguments => ({ kind: "mistake", message });

export function helpText(rows: readonly string[]): string {
  return `Usage: npm run bench -- [options]

Measures Tierwall on generated clusters. A run of all rows takes some minutes and writes pages of docs/explanation/performance.

  --only ROW         one row alone: ${rows.join(", ")}
  -o, --output WHAT  table (default), or json: one object a row, for machines
  --seed NUMBER      another cluster of the same shape (default 1)
  -h, --help         this text`;
}
