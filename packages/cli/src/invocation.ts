/** How a user called the command, and how its help speaks of it. */
export type Invocation = "tierwall" | "kubectl tierwall";

/** Help is written for `tierwall`; who called it through kubectl reads commands that can be typed as they stand. */
export function asInvoked(invocation: Invocation, help: string, commands: readonly string[]): string {
  if (invocation === "tierwall") return help;
  const next = [...commands, "--?[A-Za-z]"].join("|");
  return help.replace(new RegExp(`(?<!kubectl |npx |[\\w./@-])tierwall(?= (?:${next}))`, "g"), invocation);
}
