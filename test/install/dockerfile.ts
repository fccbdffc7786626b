/** An instruction of a Dockerfile: `RUN npm ci` is `{ word: "RUN", rest: "npm ci" }`. */
export interface Instruction {
  readonly word: string;
  readonly rest: string;
}

export interface Stage {
  readonly name: string;
  /** The image it begins with. */
  readonly base: string;
  readonly instructions: readonly Instruction[];
}

/** The stages of a Dockerfile in their order, as far as ours goes: no heredocs, no arguments. */
export function stagesOf(text: string): readonly Stage[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll("\\\n", " ")
    .split("\n");
  const stages: { name: string; base: string; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [, word, rest] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (word === undefined) continue;
    if (word === "FROM") {
      const [, base, name] = /^(\S+)(?: AS (\S+))?$/.exec(rest!) ?? [];
      stages.push({ name: name ?? "", base: base!, instructions: [] });
    } else stages.at(-1)!.instructions.push({ word, rest: rest! });
  }
  return stages;
}
