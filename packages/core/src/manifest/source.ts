/** A text in hand, and the name it goes by in messages. */
export interface TextSource {
  readonly file: string;
  readonly text: string;
}

/** A text that is too long to be held: it comes piece by piece in UTF-8, and is asked for once. */
export interface ChunkedSource {
  readonly file: string;
  /** Each is done with before the next is asked for, which may take its place in memory. */
  readonly chunks: () => Iterable<Uint8Array>;
}

/** A file of manifests. */
export type Source = TextSource | ChunkedSource;
