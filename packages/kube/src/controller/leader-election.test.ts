import type { JsonObject } from "@tierwall/core/manifest";
import { afterEach, describe, expect, it } from "vitest";
import { LeaderElection, type Leadership } from "./leader-election.js";
import { scriptedConnection } from "../../testing/scripted-connection.js";

/* By which clock, and for how long. What happens between processes is in test/cluster/controller-replicas.test.ts. */

const elections: LeaderElection[] = [];
afterEach(async () => {
  for (const election of elections.splice(0)) await election.stop();
});

/** A candidate, on a clock that does not move unless it is set; and the Lease, which others may write. */
function candidate(lease?: JsonObject, { refuses = false } = {}) {
  const state = { lease, now: 0, reads: 0, refuses };
  const leaderships: Leadership[] = [];
  const connection = scriptedConnection(({ method = "GET", body }) => {
    if (method === "GET") state.reads++;
    else if (state.refuses) return { status: 409, body: {} };
    else state.lease = (JSON.parse(body!) as { spec: JsonObject }).spec;
    return state.lease === undefined
      ? { status: 404, body: {} }
      : { status: 200, body: { spec: state.lease } };
  });
  const options = { namespace: "n", lease: "l", identity: "me", duration: 150 };
  const listener = {
    onLead: (leadership: Leadership) => void leaderships.push(leadership),
    onLeader: () => undefined,
    onTrouble: () => undefined,
  };
  const election = new LeaderElection(connection, options, listener, () => state.now);
  elections.push(election);
  election.start();
  /** When it has looked at the Lease again, and done what follows from that. */
  const looked = async () => {
    const { reads } = state;
    await expect.poll(() => state.reads, { interval: 5, timeout: 300_000 }).toBeGreaterThan(reads + 1);
  };
  return { state, leaderships, election, looked };
}

const heldBy = (holderIdentity: string, leaseDurationSeconds: number, renewTime: string): JsonObject => ({
  holderIdentity,
  leaseDurationSeconds,
  renewTime,
});

describe("a Lease that another holds", () => {
  const [longAgo, toCome] = ["2001-01-01T00:00:00.000000Z", "2101-01-01T00:00:00.000000Z"];
  it.each<[string, JsonObject, milliseconds: number, leads: boolean]>([
    ["is waited for as long as it says", heldBy("other", 15, longAgo), 15_000, false],
    ["and no longer", heldBy("other", 15, longAgo), 15_001, true],
    ["whatever clock the other has", heldBy("other", 15, toCome), 15_001, true],
    ["also where that is longer than our own", heldBy("other", 60, longAgo), 59_000, false],
    ["but not where it was given back", heldBy("", 15, longAgo), 0, true],
  ])("%s", async (_, lease, milliseconds, leads) => {
    const { state, election, looked } = candidate(lease);
    await looked();
    state.now = milliseconds;
    await looked();
    expect(election.isLeading).toBe(leads);
  });

  it("is waited for again whenever it is renewed", async () => {
    const { state, election, looked } = candidate(heldBy("other", 15, longAgo));
    await looked();
    state.now = 10_000;
    state.lease = heldBy("other", 15, "2001-01-01T00:00:10.000000Z");
    await looked();
    state.now = 20_000;
    await looked();
    expect(election.isLeading).toBe(false);
    state.now = 25_001;
    await looked();
    expect(election.isLeading).toBe(true);
  });

  it("is not ours where another was faster to take it", async () => {
    const { election, leaderships, looked } = candidate(heldBy("", 1, longAgo), { refuses: true });
    await looked();
    expect([election.isLeading, leaderships]).toEqual([false, []]);
  });
});

describe("leadership", () => {
  it("holds for two thirds of the Lease after the last renewal, by the clock alone", async () => {
    const { state, leaderships, looked } = candidate();
    await looked();
    const [first] = leaderships;
    state.refuses = true;
    const { now } = state;
    state.now = now + 99;
    expect(first!.holds()).toBe(true);
    state.now = now + 101;
    expect(first!.holds()).toBe(false);
    await looked();
    expect(first!.signal.aborted).toBe(true);
  });
});
