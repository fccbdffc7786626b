import { spawn } from "node:child_process";
import type { Diagnostic } from "@tierwall/core";
import type { RunningPage, StateFeed } from "@tierwall/server";
import { type Command, Option } from "commander";
import { type FeedFlags, findFeed } from "../page/page-feed.js";
import { readToken } from "../page/page-token.js";
import { portNumber } from "../input/quantity.js";
import { stopSignal } from "../input/stop-signal.js";
import { collect, enforcerOption, maxInputOption, printDiagnostics, withFactFlags } from "../input/state.js";
import { print, styleFor, printMessage } from "../output/terminal.js";

interface ServeFlags extends FeedFlags {
  readonly port: number;
  readonly address: string;
  readonly host?: readonly string[];
  readonly tokenFile?: string;
  readonly open?: boolean;
}

export function addServe(program: Command, finish: (status: number) => void): void {
  const command = program
    .command("serve")
    .summary("show the network and its policies on a web page")
    .description(
      "Serves a web page that explains connections step by step, draws the network, lists policies in the order in " +
        "which they are evaluated, and shows what edits would change. It follows the files, or the cluster, while it " +
        "runs; it only reads.\n\n" +
        "Only this machine can reach it, unless you set --address. Then users need a token to open it.",
    )
    .option("-f, --filename <path>", "a file or a folder to show and to watch (repeatable)", collect)
    .option("-R, --recursive", "read subfolders as well")
    .addOption(maxInputOption())
    .option(
      "--context <name>",
      "without -f: the context of the cluster that is shown (default: the current one)",
    )
    .option(
      "--kubeconfig <file>",
      "the file with that context (default: as for kubectl, or from inside a pod)",
    )
    .addOption(
      new Option("--example", "show an example cluster that uses all six policy APIs").conflicts("filename"),
    )
    .addOption(
      new Option("--port <port>", "the port to listen on; 0 takes a free one")
        .argParser(portNumber)
        .default(8080, "8080, or the next free port"),
    )
    .option(
      "--address <address>",
      "the address to listen on; 0.0.0.0 or :: for all addresses of this machine",
      "127.0.0.1",
    )
    .option("--host <name>", "another name under which browsers reach it (repeatable)", collect)
    .option(
      "--token-file <file>",
      "the token to log in with (default: with --address, one is made and printed)",
    )
    .option("--open", "open it in a browser");
  withFactFlags(command)
    .addOption(enforcerOption())
    .addHelpText(
      "after",
      `
Examples:
  # The cluster of the current kubectl context, as it changes
  tierwall serve --open

  # A folder of manifests, while you edit them
  tierwall serve -f ./cluster -R

  # For colleagues, who need the token
  tierwall serve -f ./cluster -R --address 0.0.0.0 --host policies.example.com --token-file token.txt

The same answers for scripts: http://127.0.0.1:8080/api/v1/openapi.yaml lists what can be asked. docs/reference/http-api.md has more.
Exit status: 0 ended by Ctrl+C or SIGTERM, 2 when something cannot be read, or the port is taken.`,
    )
    .action(async (flags: ServeFlags, serve: Command) => {
      const isUsualPort = serve.getOptionValueSource("port") === "default";
      finish(await runServe(flags, isUsualPort ? 20 : 0));
    });
}

/** The server is loaded when it is wanted: other commands start faster without it. */
async function runServe(flags: ServeFlags, otherPorts: number): Promise<number> {
  const token = flags.tokenFile === undefined ? undefined : readToken(flags.tokenFile);
  if (token?.ok === false) return refuse([token.diagnostic]);
  const found = await findFeed(flags);
  if (!found.ok) return refuse(found.diagnostics);
  const { startPage } = await import("@tierwall/server");
  const started = await startPage({
    feed: found.feed,
    port: flags.port,
    otherPorts,
    address: flags.address,
    hosts: flags.host ?? [],
    ...(token === undefined ? {} : { token: token.value }),
  });
  if (!started.ok) {
    printMessage(started.message);
    return 2;
  }
  await started.page.known;
  if (flags.port !== 0 && started.page.port !== flags.port)
    printMessage(`Port ${flags.port} is in use; using port ${started.page.port} instead.`);
  // Before the address is printed: a program that waits for it may stop the server at once.
  const stopped = stopSignal();
  greet(started.page, flags, found.feed);
  await stopped;
  await started.page.close();
  return 0;
}

function refuse(diagnostics: readonly Diagnostic[]): number {
  printDiagnostics(diagnostics, [], true);
  return 2;
}

function greet({ url, token }: RunningPage, flags: ServeFlags, feed: StateFeed): void {
  const style = styleFor(process.stdout);
  print(`${style.bold(url)}  ${feed.shown().title}`);
  if (token !== undefined && flags.tokenFile === undefined) print(`token: ${token}`);
  printMessage(
    "Open it in a browser; it updates itself. Press Ctrl+C to stop it. For options, see `tierwall serve --help`.",
  );
  if (flags.open) openBrowser(url);
}

function openBrowser(url: string): void {
  const [command, ...args] =
    process.platform === "darwin"
      ? ["open", url]
      : process.platform === "win32"
        ? ["cmd", "/c", "start", "", url]
        : ["xdg-open", url];
  const child = spawn(command, args, { stdio: "ignore", detached: true });
  child.on("error", () => printMessage(`no browser could be started; open ${url} yourself`));
  child.unref();
}
