import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { CounterReader } from "./counters.js";
import { Nft } from "./nft.js";

const folder = mkdtempSync(join(tmpdir(), "tierwall-counters-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** An nft that fails the given number of times, with this message, and then counts three packets. */
function failing(times: number, words: string): { readonly nft: Nft; readonly asked: () => number } {
  const tally = join(folder, `${times} ${words}`);
  writeFileSync(tally, "");
  const counters = JSON.stringify({ nftables: [{ counter: { name: "r_a", packets: 3, bytes: 180 } }] });
  const script = `echo >> "$0"; [ $(wc -l < "$0") -gt ${times} ] && echo '${counters}' || { echo 'Error: ${words}' >&2; exit 1; }`;
  return {
    nft: new Nft(["sh", "-c", script, tally]),
    asked: () => readFileSync(tally, "utf8").length,
  };
}

describe("counters", () => {
  const interrupted = "Could not process rule: Interrupted system call";

  it.each([0, 1, 4])("are read although others change rules meanwhile, %i times", async (times) => {
    const reader = new CounterReader(failing(times, interrupted).nft);
    expect(await reader.collect("tierwall")).toMatchObject({ ok: true });
    await reader.collect("tierwall");
    expect(reader.take().get("r_a")).toEqual({ packets: 6, bytes: 360 });
    expect(reader.take().size).toBe(0);
  });

  it.each([
    [interrupted, 5],
    ["No such file or directory", 1],
  ])("%s: asked for %i times, and then it is said", async (words, times) => {
    const { nft, asked } = failing(99, words);
    expect(await new CounterReader(nft).collect("tierwall")).toEqual({
      ok: false,
      message: `nft failed with status 1: ${words}`,
    });
    expect(asked()).toBe(times);
  });
});
