import { visible } from "@tierwall/core/report";

/** What is known of a terminal. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly write: (text: string) => unknown;
}

/** Reading that is over sooner shows nothing. */
const patience = 500;
const between = 100;

/** One line on a terminal that shows how far the work has come, and disappears when it is done. */
export class Progress {
  private readonly started: number;
  private last = 0;
  private reading = "";
  private objects = 0;

  constructor(
    private readonly screen: Screen = process.stderr,
    private readonly now: () => number = Date.now,
    private readonly noun = "objects",
  ) {
    this.started = now();
  }

  readonly bytesRead = (file: string, bytes: number, size: number | undefined): void => {
    const of = size === undefined ? "" : ` of ${megabytes(size)}`;
    this.reading = `${file}: ${bar(bytes, size)}${megabytes(bytes)}${of} MB, `;
    this.show();
  };

  readonly objectsRead = (objects: number): void => {
    this.objects = objects;
    this.show();
  };

  /** Work other than reading. */
  readonly working = (what: string): void => {
    this.show(what);
  };

  end(): void {
    if (this.last > 0) this.screen.write(clear);
    this.last = 0;
  }

  private show(what = `reading ${this.reading}${this.objects.toLocaleString("en")} ${this.noun}`): void {
    const now = this.now();
    if (this.screen.isTTY !== true || now - this.started < patience || now - this.last < between) return;
    this.last = now;
    const text = visible(what);
    // Some terminals say that they have no columns at all.
    const columns = this.screen.columns === 0 ? undefined : this.screen.columns;
    this.screen.write(`${clear}${text.slice(0, (columns ?? 80) - 1)}`);
  }
}

/** To the beginning of the line, and nothing behind it. */
const clear = `\r${String.fromCharCode(27)}[K`;

/** `▰▰▰▱▱▱▱▱▱▱ ` */
function bar(done: number, all: number | undefined): string {
  if (all === undefined || all === 0) return "";
  const full = Math.min(barLength, Math.floor((done / all) * barLength));
  return `${"▰".repeat(full)}${"▱".repeat(barLength - full)} `;
}

const barLength = 10;

const megabytes = (bytes: number): string => Math.round(bytes / 1e6).toLocaleString("en");
