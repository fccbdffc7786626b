import { visibleWithin } from "@tierwall/core/report";
import { createHash } from "node:crypto";
import { type Connection, messageOf } from "../cluster/connection.js";
import { type Reported, withoutExample } from "./condition.js";
import { jsonRequest, refusalIn } from "../cluster/json-request.js";
import { type Leadership, microTime } from "./leader-election.js";
import { RateLimit } from "../timing/pause.js";

/** Something that happened to a policy. */
export interface PolicyEvent {
  readonly regarding: Reported;
  readonly related?: Reported;
  readonly type: "Normal" | "Warning";
  /** One word for programs. */
  readonly reason: string;
  /** What was done, in one word. */
  readonly action: string;
  readonly note: string;
  /** Distinguishes this Event from an earlier one with the same text. */
  readonly occasion?: string;
}

type EventOutcome = "written" | "failed" | "dropped";

/** Further ones are dropped. */
const mostWaiting = 1000;
/** API servers take no longer notes. */
const longestNote = 1000;

/** Writes Events, a few per second: one policy may override thousands of others. */
export class Events {
  private readonly waiting: PolicyEvent[] = [];
  private readonly limit = new RateLimit(10, 50);
  private running: Promise<void> | undefined;

  constructor(
    private readonly connection: Connection,
    private readonly instance: string,
    private readonly leadership: Leadership,
    private readonly onOutcome: (reason: string, outcome: EventOutcome, message?: string) => void,
  ) {}

  add(event: PolicyEvent): void {
    if (event.regarding.stored === undefined || !this.leadership.holds()) return;
    if (this.waiting.length >= mostWaiting) return this.onOutcome(event.reason, "dropped");
    this.waiting.push(event);
    this.running ??= this.run();
  }

  private async run(): Promise<void> {
    const { leadership } = this;
    for (let event = this.waiting.shift(); event !== undefined; event = this.waiting.shift()) {
      await this.limit.turn(leadership.signal);
      if (!leadership.holds()) break;
      await this.write(event);
    }
    this.waiting.length = 0;
    this.running = undefined;
  }

  private async write(event: PolicyEvent): Promise<void> {
    const { reason } = event;
    try {
      const body = eventObject(event, this.instance, new Date());
      const path = `/apis/events.k8s.io/v1/namespaces/${body.metadata.namespace}/events`;
      const { signal } = this.leadership;
      const answer = await jsonRequest(this.connection, { method: "POST", path, body, signal });
      // One of the same name exists: the previous leader wrote it.
      if (answer.status < 300 || answer.status === 409) this.onOutcome(reason, "written");
      else this.onOutcome(reason, "failed", refusalIn(answer));
    } catch (cause) {
      if (!this.leadership.signal.aborted) this.onOutcome(reason, "failed", messageOf(cause));
    }
  }
}

function eventObject(event: PolicyEvent, instance: string, now: Date) {
  const { regarding, related, type, reason, action, note } = event;
  // Events about what has no namespace are in this one.
  const namespace = regarding.namespace ?? "default";
  return {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { name: nameOf(event), namespace },
    eventTime: microTime(now),
    reportingController: "tierwall.dev/controller",
    reportingInstance: instance.slice(0, 128),
    type,
    reason,
    action,
    note: visibleWithin(note, longestNote),
    regarding: referenceTo(regarding),
    ...(related === undefined ? {} : { related: referenceTo(related) }),
  };
}

/** The same name for the same note about the same versions of policies, whichever replica writes it. */
function nameOf({ regarding, related, reason, note, occasion }: PolicyEvent): string {
  const text = JSON.stringify([regarding.stored, related?.stored, reason, withoutExample(note), occasion]);
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
  // What is left of a long name must not end in what no name may end in.
  return `${regarding.name.slice(0, 230).replace(/[.-]+$/, "")}.${hash}`;
}

const referenceTo = ({ group, version, kind, namespace, name, stored }: Reported) => ({
  apiVersion: `${group}/${version}`,
  kind,
  name,
  ...(namespace === undefined ? {} : { namespace }),
  ...(stored === undefined ? {} : { uid: stored.uid }),
});
