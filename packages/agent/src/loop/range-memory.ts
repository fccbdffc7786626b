import { readFileSync } from "node:fs";
import { isObject } from "@tierwall/core/manifest";
import { type Cidr, formatCidr, parseCidr } from "@tierwall/core/model";
import { listAt, messageOf, replaceFile } from "@tierwall/kube";
import { sameRanges } from "./local-ranges.js";

/**
 * Remembers the ranges of a node's pods across restarts of the node. After one, the kernel has no rules and the cluster was not
 * read yet. A file that cannot be read counts as no file.
 */
export class RangeMemory {
  #ranges: readonly Cidr[];
  #doubted: boolean;

  constructor(
    private readonly file: string,
    private readonly node: string,
    private readonly onTrouble: (message: string) => void,
  ) {
    const { ranges, doubted } = readRanges(file, node);
    this.#ranges = ranges;
    this.#doubted = doubted;
  }

  get ranges(): readonly Cidr[] {
    return this.#ranges;
  }

  /** Whether pods contradicted the ranges. */
  get doubted(): boolean {
    return this.#doubted;
  }

  keep(ranges: readonly Cidr[], doubted: boolean): void {
    if (sameRanges(ranges, this.#ranges) && doubted === this.#doubted) return;
    this.#ranges = ranges;
    this.#doubted = doubted;
    try {
      const podRanges = ranges.map(formatCidr);
      replaceFile(this.file, JSON.stringify({ version: 1, node: this.node, podRanges, doubted }));
    } catch (cause) {
      this.onTrouble(
        `cannot write \`${this.file}\`: after a restart of the node, its pods are not denied before the cluster is read: ${messageOf(cause)}`,
      );
    }
  }
}

interface Remembered {
  readonly ranges: readonly Cidr[];
  readonly doubted: boolean;
}

function readRanges(file: string, node: string): Remembered {
  try {
    const saved: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (!isObject(saved) || saved.version !== 1 || saved.node !== node) return nothing;
    const ranges = listAt(saved, "podRanges").flatMap((text) =>
      typeof text === "string" ? (parseCidr(text) ?? []) : [],
    );
    return { ranges, doubted: saved.doubted === true };
  } catch {
    return nothing;
  }
}

const nothing: Remembered = { ranges: [], doubted: false };
