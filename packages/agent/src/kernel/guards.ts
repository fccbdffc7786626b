import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Resolver } from "node:dns/promises";
import { messageOf } from "@tierwall/kube";
import { done, failed, type Outcome } from "./outcome.js";

/** Something that must keep working while rules are on trial. */
export interface Guard {
  readonly text: string;
  check(milliseconds: number): Promise<Outcome<void>>;
}

/** `tcp://host:port`, `dns://server/name`, `http://…`, `https://…`. */
export function parseGuard(text: string): Outcome<Guard> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const host = url?.hostname.replace(/^\[|\]$/g, "");
  switch (url?.protocol) {
    case "http:":
    case "https:":
      return done({ text, check: (milliseconds) => answers(text, milliseconds) });
    case "tcp:":
      if (!host || url.port === "") break;
      return done({ text, check: (milliseconds) => connects(host, Number(url.port), milliseconds) });
    case "dns:": {
      const name = url.pathname.slice(1);
      if (!host || name === "") break;
      const server = url.port === "" ? url.hostname : url.host;
      return done({ text, check: (milliseconds) => resolves(server, name, milliseconds) });
    }
    case undefined:
  }
  return failed(`invalid guard \`${text}\`: write tcp://host:port, dns://server/name, http://… or https://…`);
}

interface GuardWatch {
  readonly guards: readonly Guard[];
  /** After this many failed checks in a row, the guard has failed. */
  readonly tries: number;
  readonly everyMilliseconds: number;
  readonly signal: AbortSignal;
}

/** Checks until it is aborted, or until a guard has failed: then it returns which one, and why. */
export async function watchGuards({
  guards,
  tries,
  everyMilliseconds,
  signal,
}: GuardWatch): Promise<string | undefined> {
  const failures = new Map<Guard, number>();
  while (!signal.aborted) {
    const answers = await Promise.all(
      guards.map(async (guard) => [guard, await guard.check(everyMilliseconds)] as const),
    );
    for (const [guard, answer] of answers) {
      const count = answer.ok ? 0 : (failures.get(guard) ?? 0) + 1;
      failures.set(guard, count);
      if (!answer.ok && count >= tries)
        return `${guard.text} failed ${count} times in a row: ${answer.message}`;
    }
    await sleep(everyMilliseconds, undefined, { signal }).catch(() => {});
  }
  return undefined;
}

function connects(host: string, port: number, milliseconds: number): Promise<Outcome<void>> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: milliseconds });
    const finish = (outcome: Outcome<void>): void => {
      socket.destroy();
      resolve(outcome);
    };
    socket.once("connect", () => finish(done(undefined)));
    socket.once("timeout", () => finish(failed("no answer in time")));
    socket.once("error", (error) => finish(failed(error.message)));
  });
}

/** "No such name" is also an answer: the server was reached. */
async function resolves(server: string, name: string, milliseconds: number): Promise<Outcome<void>> {
  const resolver = new Resolver({ timeout: milliseconds, tries: 1 });
  try {
    resolver.setServers([server]);
    await resolver.resolve4(name);
    return done(undefined);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    return code === "ENODATA" || code === "ENOTFOUND" ? done(undefined) : failed(code);
  }
}

/** Any status below 500 counts: access may be denied, but the server answers. */
async function answers(url: string, milliseconds: number): Promise<Outcome<void>> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(milliseconds), redirect: "manual" });
    await response.body?.cancel();
    return response.status < 500 ? done(undefined) : failed(`status ${response.status}`);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return failed(messageOf(cause));
  }
}
