import { readFileSync } from "node:fs";
import { Argument, type Command } from "commander";
import { print } from "../output/terminal.js";

const shells = ["bash", "zsh", "fish"] as const;

export function addCompletion(program: Command, finish: (status: number) => void): void {
  program
    .command("completion")
    .summary("print a script that completes commands, options and pods in your shell")
    .description(
      "Prints a script for your shell. With it, the Tab key offers commands, options and their values, and " +
        "namespaces, pods and workloads of the files that -f or tierwall.yaml names, as far as they can be read in a second.",
    )
    .addArgument(new Argument("<shell>", "the shell").choices(shells))
    .addHelpText(
      "after",
      `
Examples:
  # bash: in this shell; in ~/.bashrc, for every one
  source <(tierwall completion bash)

  # zsh: in ~/.zshrc, after compinit
  source <(tierwall completion zsh)

  # fish: once
  tierwall completion fish > ~/.config/fish/completions/tierwall.fish

kubectl completes \`kubectl tierwall\` by itself when kubectl_complete-tierwall is on the PATH, as it is after
npm install --global tierwall.
Exit status: 0, or 2 for a shell that is not known.`,
    )
    .action((shell: (typeof shells)[number]) => {
      const script = new URL(`../../completion/tierwall.${shell}`, import.meta.url);
      print(readFileSync(script, "utf8").trimEnd());
      finish(0);
    });
}
