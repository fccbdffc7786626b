/** How a user called the command, and how its help names it. */
export type Invocation = "tierwall" | "kubectl tierwall";

/** Help is written for `tierwall`; users who call it through kubectl get commands that they can type as shown. */
export function asInvoked(invocation: Invocation, help: string, commands: readonly string[]): string {
  if (invocation === "tierwall") return help;
  const next = [...commands, "--?[A-Za-z]"].join("|");
  return help.replace(new RegExp(`(?<!kubectl |npx |[\\w./@-])tierwall(?= (?:${next}))`, "g"), invocation);
}
