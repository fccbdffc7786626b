import type { Nft } from "./nft.js";

export interface Milliseconds {
  readonly compute: number;
  readonly nft: number;
}

/** Measures elapsed time, and how much of it nft took. */
export class Clock {
  readonly #since = performance.now();
  readonly #nftBefore: number;

  constructor(readonly nft: Nft) {
    this.#nftBefore = nft.milliseconds;
  }

  read(): Milliseconds {
    const nft = this.nft.milliseconds - this.#nftBefore;
    return { compute: performance.now() - this.#since - nft, nft };
  }
}
