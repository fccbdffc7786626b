/** A text in hand, and the name it goes by in messages. */
export interface TextSource {
  readonly file: string;
  readonly text: string;
}

/** A text that is too long to be held: it comes piece by piece, and is asked for once. */
export interface ChunkedSource {
  readonly file: string;
  readonly chunks: () => Iterable<string>;
}

export type Source = TextSource | ChunkedSource;
