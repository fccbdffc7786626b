/** A text, and its name in messages. */
export interface TextSource {
  readonly file: string;
  readonly text: string;
}

/** A text that is too long to be held in memory: it is read once, in chunks of UTF-8. */
export interface ChunkedSource {
  readonly file: string;
  /** Each chunk is processed before the next is requested, which may reuse its memory. */
  readonly chunks: () => Iterable<Uint8Array>;
}

/** A file of manifests. */
export type Source = TextSource | ChunkedSource;
