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
