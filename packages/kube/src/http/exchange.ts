import type { ServerResponse } from "node:http";

interface ExchangeListener {
  /** The answer is complete, and a part of it waits until the client reads. */
  onUnread(): void;
  onLeave(): void;
  disconnect(): void;
}

/**
 * A request and its answer.
 *
 *   begin ──► takeTurn ──► end: the answer is complete ──► unread ──► sent, or the connection is gone
 *                 └─ counts in a share ─┘
 */
export class Exchange {
  /** Resolves when the answer was sent, or the connection is gone. */
  readonly left: Promise<void>;
  private resolveLeft: () => void = () => undefined;
  private hasLeft = false;
  private share: RequestShare | undefined;

  constructor(
    readonly address: string,
    private readonly response: ServerResponse,
    private readonly listener: ExchangeListener,
  ) {
    this.left = new Promise((resolve) => (this.resolveLeft = resolve));
    response.once("finish", () => this.leave());
    response.once("close", () => this.leave());
  }

  /** Whether it counts in a share. */
  get isAnswering(): boolean {
    return this.share !== undefined;
  }

  /** False: too many requests are being answered. */
  takeTurn(share: RequestShare): boolean {
    if (!share.take(this.address)) return false;
    this.share = share;
    return true;
  }

  /** Resolves when the answer is complete: what is left to do is the client's, and takes no turn. */
  async end(): Promise<void> {
    if (!this.response.writableEnded) await this.left;
    this.share?.giveBack(this.address);
    this.share = undefined;
    if (!this.hasLeft) this.listener.onUnread();
  }

  /** An answer that waits behind another on a connection that breaks is never closed: the connection reports it. */
  leave(): void {
    if (this.hasLeft) return;
    this.hasLeft = true;
    this.resolveLeft();
    this.listener.onLeave();
  }

  disconnect(): void {
    this.listener.disconnect();
  }
}

export interface ShareLimits {
  /** Requests answered at the same time. */
  readonly requests: number;
  /** Of those, from one address. */
  readonly requestsPerAddress: number;
}

/** Counts requests that are being answered, so that no address takes all turns. */
export class RequestShare {
  private busy = 0;
  private readonly busyOf = new Map<string, number>();

  constructor(private readonly limits: ShareLimits) {}

  /** False: too many requests are being answered. */
  take(address: string): boolean {
    const own = this.busyOf.get(address) ?? 0;
    if (this.busy >= this.limits.requests || own >= this.limits.requestsPerAddress) return false;
    this.busy++;
    this.busyOf.set(address, own + 1);
    return true;
  }

  giveBack(address: string): void {
    this.busy--;
    const left = this.busyOf.get(address)! - 1;
    if (left === 0) this.busyOf.delete(address);
    else this.busyOf.set(address, left);
  }
}
