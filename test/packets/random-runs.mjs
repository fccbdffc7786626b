/**
 * Settings that make the random tests with packets longer, with other clusters each day.
 * @param {{ seed?: string, clusters?: string }} [options]
 * @returns {Record<string, string>}
 */
export function longRandomRuns({ seed = today(), clusters = "60" } = {}) {
  return { TIERWALL_PACKET_SEED: seed, TIERWALL_PACKET_CLUSTERS: clusters, TIERWALL_STORM_CHANGES: "200" };
}

/** The date, as a number. */
export function today() {
  return new Date().toISOString().slice(0, 10).replaceAll("-", "");
}

/** The random tests; `npm test` runs the others completely. */
export const randomFiles = ["packets/differential", "packets/established", "agent/under-traffic"].map(
  (name) => `test/${name}.test.ts`,
);
