import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A packet, or the first one of a connection. */
export interface Packet {
  /** The namespaces of sender and receiver. */
  readonly from: string;
  readonly to: string;
  readonly protocol: "TCP" | "UDP" | "SCTP" | "ICMP";
  readonly source: string;
  readonly target: string;
  readonly port: number;
  /** Where it listens, if the target is an address that is rewritten; undefined if no process must listen. */
  readonly servedPort: number | undefined;
  readonly tos: number;
  /** Bytes that make a datagram longer. */
  readonly padding?: number;
}

/** `one-way`: it arrived, and the answer to it did not. */
export type Outcome = "arrived" | "lost" | "refused" | "one-way";

export interface Conversation {
  readonly id: number;
  readonly packet: Packet;
}

/** `net/ipv4/ip_forward`, and what is written there. */
export type Setting = readonly [space: string, path: string, value: string];

type Command =
  | { readonly set: readonly Setting[] }
  | { readonly listen: readonly (readonly [space: string, protocol: string, port: number])[] }
  | { readonly probe: readonly object[]; readonly window: number }
  | { readonly say: readonly (readonly [id: number, side: Side])[]; readonly window: number }
  | { readonly close: readonly number[] };

export type Side = "client" | "server";

interface Probed {
  readonly arrived: readonly number[];
  readonly answered: readonly number[];
  readonly refused: readonly number[];
}

/** In seconds: a packet on one machine takes microseconds, so what is not there by then was dropped. */
const window = 0.25;
/** At once; each is an open file. */
const batchSize = 2000;

/** The process that opens connections in all namespaces of a lab (prober/prober.py). */
export class Prober {
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly waiting: { resolve: (line: string) => void; reject: (error: Error) => void }[] = [];
  private readonly listening = new Set<string>();
  private complaint = "";
  private lastId = 0;

  constructor() {
    const script = fileURLToPath(new URL("prober/prober.py", import.meta.url));
    this.child = spawn("python3", ["-B", script]);
    createInterface({ input: this.child.stdout }).on("line", (line) => this.waiting.shift()?.resolve(line));
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => (this.complaint += text));
    this.child.on("error", (error) => this.fail(error));
    this.child.on("close", () => this.fail(new Error(`the prober has ended: ${this.complaint}`)));
    this.child.stdin.on("error", () => undefined);
  }

  async configure(settings: readonly Setting[]): Promise<void> {
    await this.request({ set: settings });
  }

  async probe(packets: readonly Packet[]): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    for (let start = 0; start < packets.length; start += batchSize)
      outcomes.push(...(await this.send(packets.slice(start, start + batchSize), false)).outcomes);
    return outcomes;
  }

  /** Connections that stay open; undefined where one could not be opened. */
  async open(packets: readonly Packet[]): Promise<readonly (Conversation | undefined)[]> {
    const { ids, outcomes } = await this.send(packets, true);
    return packets.map((packet, i) => (outcomes[i] === "arrived" ? { id: ids[i]!, packet } : undefined));
  }

  /** One end of each says something; gives back where the other heard it. */
  async say(conversations: readonly Conversation[], side: Side): Promise<readonly boolean[]> {
    const say = conversations.map(({ id }) => [id, side] as const);
    const { heard } = await this.request<{ readonly heard: readonly number[] }>({ say, window });
    return conversations.map(({ id }) => heard.includes(id));
  }

  async close(conversations: readonly Conversation[]): Promise<void> {
    await this.request({ close: conversations.map(({ id }) => id) });
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      if (this.child.exitCode !== null) return resolve();
      this.child.on("close", () => resolve());
      this.child.stdin.end();
    });
  }

  private async send(
    packets: readonly Packet[],
    keep: boolean,
  ): Promise<{ readonly ids: readonly number[]; readonly outcomes: readonly Outcome[] }> {
    await this.listenFor(packets);
    const flows = packets.map(({ from, protocol, source, target, port, tos, padding = 0 }) => ({
      id: ++this.lastId,
      space: from,
      protocol,
      source,
      target,
      port,
      tos,
      padding,
      keep,
    }));
    const { arrived, answered, refused } = await this.request<Probed>({ probe: flows, window });
    const [there, back, away] = [new Set(arrived), new Set(answered), new Set(refused)];
    const outcomes = flows.map(({ id }): Outcome => {
      if (back.has(id)) return "arrived";
      return there.has(id) ? "one-way" : away.has(id) ? "refused" : "lost";
    });
    return { ids: flows.map(({ id }) => id), outcomes };
  }

  private async listenFor(packets: readonly Packet[]): Promise<void> {
    const listen = packets
      .flatMap(({ to, protocol, servedPort }) =>
        servedPort === undefined ? [] : [[to, protocol, servedPort] as const],
      )
      .filter((place) => !this.listening.has(place.join()) && this.listening.add(place.join()));
    if (listen.length > 0) await this.request({ listen });
  }

  private async request<Answer>(command: Command): Promise<Answer> {
    const line = await new Promise<string>((resolve, reject) => {
      if (this.child.exitCode !== null) return reject(new Error(`the prober has ended: ${this.complaint}`));
      this.waiting.push({ resolve, reject });
      this.child.stdin.write(`${JSON.stringify(command)}\n`);
    });
    return JSON.parse(line) as Answer;
  }

  private fail(error: Error): void {
    for (const { reject } of this.waiting.splice(0)) reject(error);
  }
}
