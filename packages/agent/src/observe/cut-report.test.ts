import { readCluster } from "@tierwall/core/state";
import { expect, it } from "vitest";
import { done, failed, type Outcome } from "../kernel/outcome.js";
import type { TrackedConnection } from "../kernel/conntrack.js";
import { podYaml } from "../../testing/node-world.js";
import { CutReport } from "./cut-report.js";
import { AddressOwners } from "./address-owners.js";

const cluster = readCluster([
  {
    file: "pods.yaml",
    text: podYaml("shop/a", "10.9.0.11", { node: "n1" }),
  },
]);

const at = new Date("2026-01-01T00:00:00.000Z");

function setup() {
  const reported: string[] = [];
  const troubles: string[] = [];
  let listed: Outcome<readonly TrackedConnection[]> = done([]);
  const report = new CutReport({
    list: () => Promise.resolve(listed),
    onCut: (connections, more) =>
      reported.push(`${connections.map(({ source }) => source.port).join()}, ${more} more`),
    onTrouble: (message) => troubles.push(message),
    ends: new AddressOwners(cluster),
  });
  const are = (ports: readonly number[]) =>
    (listed = done(
      ports.map((port) => ({
        id: String(port),
        protocol: "TCP",
        source: { address: "10.9.0.11", port },
        destination: { address: "192.0.2.1", port: 80 },
      })),
    ));
  const look = async () => {
    await report.look(at);
    return reported.splice(0);
  };
  return { report, are, look, troubles, fail: () => (listed = failed("not available")) };
}

it("a cut connection is reported once, and again only after it was not cut", async () => {
  const { are, look } = setup();
  are([1, 2]);
  expect(await look()).toEqual(["1,2, 0 more"]);
  are([1, 2, 3]);
  expect(await look()).toEqual(["3, 0 more"]);
  are([3]);
  expect(await look()).toEqual([]);
  are([1, 3]);
  expect(await look()).toEqual(["1, 0 more"]);
});

it("connections that an earlier agent cut are not reported", async () => {
  const { report, are, look } = setup();
  are([1]);
  await report.start();
  are([1, 2]);
  expect(await look()).toEqual(["2, 0 more"]);
});

it("endpoints have their names, and the last connections are remembered", async () => {
  const { report, are, look } = setup();
  are([1]);
  await look();
  are([1, 2]);
  await look();
  expect(report.last.map(({ source }) => source.port)).toEqual([2, 1]);
  expect(report.last[0]).toEqual({
    at: "2026-01-01T00:00:00.000Z",
    protocol: "TCP",
    source: { address: "10.9.0.11", port: 2, kind: "pod", pod: "shop/a", node: "n1" },
    destination: { address: "192.0.2.1", port: 80, kind: "external" },
  });
});

it("of a thousand connections that are cut at once, a hundred are named and the others counted", async () => {
  const { are, look } = setup();
  are(Array.from({ length: 1000 }, (_, i) => i + 1));
  expect(await look()).toEqual([expect.stringMatching(/^1,2,.*,100, 900 more$/)]);
});

it("a failure to list them is reported, and they are reported later", async () => {
  const { are, look, fail, troubles } = setup();
  fail();
  expect(await look()).toEqual([]);
  expect(troubles).toEqual(["cannot list the connections that were cut: conntrack reported `not available`"]);
  are([1]);
  expect(await look()).toEqual(["1, 0 more"]);
});
