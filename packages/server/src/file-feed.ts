import type { Diagnostic, TextSource } from "@tierwall/core";
import { diagnostic } from "@tierwall/core/manifest";
import { servedText, type StateOptions } from "@tierwall/core/state";
import {
  filesIn,
  type ManifestFile,
  readPaths,
  unreadable,
  WatchedFiles,
  type WatchedPaths,
} from "@tierwall/kube";
import type { Shown, StateFeed } from "./feed.js";

export interface FileFeedOptions extends WatchedPaths {
  /** How many bytes all files may have together, unpacked. */
  readonly maxInput?: number | undefined;
  readonly title?: string;
  /** What no manifest contains. */
  readonly state?: StateOptions;
  /** Called when a path cannot be read, and once more, with nothing, when it can. Until then nothing is evaluated. */
  readonly onUnreadable?: (diagnostics: readonly Diagnostic[]) => void;
}

export type OpenedFiles =
  | { readonly ok: true; readonly feed: FileFeed }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Manifests in files, with all their mistakes, which the page shows as well. */
export class FileFeed implements StateFeed {
  private readonly files: WatchedFiles;
  private changed: () => void = () => undefined;
  /** As they were read. */
  private sources: readonly TextSource[] = [];
  /** Without what readers of the page do not need, by the text that was read. */
  private served = new Map<TextSource["text"], TextSource>();
  private unread: readonly Diagnostic[] = [];
  private complaints = "";

  constructor(private readonly options: FileFeedOptions) {
    this.files = new WatchedFiles(options, () => this.look());
  }

  /** Returns what is wrong with the paths, if anything is: then there is nothing to watch. */
  static open(options: FileFeedOptions): OpenedFiles {
    const { diagnostics } = options.paths.includes("-") ? notStandardInput : filesIn(options);
    return diagnostics.length === 0 ? { ok: true, feed: new FileFeed(options) } : { ok: false, diagnostics };
  }

  async start(changed: () => void): Promise<void> {
    this.look();
    this.changed = changed;
    this.files.start();
  }

  shown(): Shown {
    const { paths, title = paths.join(", "), state = {} } = this.options;
    const sources = this.servedSources();
    const { unread } = this;
    return { title, provenance: "file", sources, options: state, unread };
  }

  /** Texts that have not changed are not processed again. */
  private servedSources(): readonly TextSource[] {
    const known = this.served;
    this.served = new Map();
    return this.sources.map((source) => {
      const before = known.get(source.text);
      const served = before?.file === source.file ? before : servedText(source);
      this.served.set(source.text, served);
      return served;
    });
  }

  async stop(): Promise<void> {
    await this.files.stop();
  }

  private look(): void {
    const { paths, recursive = false, maxInput } = this.options;
    if (this.files.changed() === undefined) return;
    const { sources, diagnostics } = textsAt(paths, recursive, maxInput);
    const isNews = this.complain(diagnostics);
    this.unread = diagnostics;
    if (diagnostics.length > 0) {
      this.files.readAgain();
      if (isNews) this.changed();
      return;
    }
    if (isSame(sources, this.sources) && !isNews) return;
    this.sources = sources;
    this.changed();
  }

  /** Once for the same errors, however often they occur. */
  private complain(diagnostics: readonly Diagnostic[]): boolean {
    const complaints = diagnostics.map(({ message }) => message).join("\n");
    if (complaints === this.complaints) return false;
    this.complaints = complaints;
    this.options.onUnreadable?.(diagnostics);
    return true;
  }
}

const notStandardInput = {
  diagnostics: [diagnostic("TW1004", "standard input cannot be watched; save it to a file")],
};

/** The page needs texts, however long they are. */
function textsAt(
  paths: readonly string[],
  recursive: boolean,
  maxInput: number | undefined,
): { readonly sources: readonly TextSource[]; readonly diagnostics: readonly Diagnostic[] } {
  const read = readPaths(paths, recursive, { maxInput });
  const sources: TextSource[] = [];
  const diagnostics = [...read.diagnostics];
  for (const source of read.sources)
    try {
      sources.push(asText(source));
    } catch (cause) {
      // Long files are read only now, and may be gone by then.
      diagnostics.push(unreadable(source.file, cause));
    }
  return { sources, diagnostics };
}

function asText(source: ManifestFile): TextSource {
  if ("text" in source) return source;
  // Chunks reuse the same memory.
  const bytes = Buffer.concat(Array.from(source.chunks(), (chunk) => Buffer.from(chunk)));
  return { file: source.file, text: bytes.toString("utf8") };
}

function isSame(a: readonly TextSource[], b: readonly TextSource[]): boolean {
  return a.length === b.length && a.every(({ file, text }, i) => file === b[i]!.file && text === b[i]!.text);
}
