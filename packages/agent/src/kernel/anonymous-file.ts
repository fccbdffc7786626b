import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A file without a name: other processes cannot open it, and it disappears when it is closed. nft writes its output in very
 * small pieces: that is cheap for a file, while a pipe would wake its reader each time.
 */
export class AnonymousFile {
  private constructor(readonly descriptor: number) {}

  /** Undefined if no file can be written, not even in memory. */
  static open(): AnonymousFile | undefined {
    for (const parent of ["/dev/shm", tmpdir()])
      try {
        const folder = mkdtempSync(join(parent, "tierwall-"));
        try {
          return new AnonymousFile(openSync(join(folder, "file"), "wx+", 0o600));
        } finally {
          rmSync(folder, { recursive: true });
        }
      } catch {}
    return undefined;
  }

  write(text: string): void {
    ftruncateSync(this.descriptor);
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.descriptor, bytes, at, bytes.length - at, at);
  }

  read(): string {
    const bytes = Buffer.alloc(fstatSync(this.descriptor).size);
    let at = 0;
    for (let more = 1; more > 0 && at < bytes.length; at += more)
      more = readSync(this.descriptor, bytes, at, bytes.length - at, at);
    return bytes.toString("utf8", 0, at);
  }

  close(): void {
    closeSync(this.descriptor);
  }
}
