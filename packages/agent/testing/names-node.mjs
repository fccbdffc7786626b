// The names of a node, in a process of its own, because that is how one gets into another network namespace. Reads its
// options from the command line; prints events, one line of JSON each; executes commands from standard input.
import { execFile } from "node:child_process";
import { createInterface } from "node:readline";
import { parseAddress, parseCidr } from "@tierwall/core/model";
import { NameService } from "../dist/dns/name-service.js";
import { InsideAddresses } from "../dist/dns/reach.js";
import { leftElements } from "../dist/kernel/learned.js";
import { changesText } from "../dist/ruleset/set-change.js";

const {
  table,
  names,
  servers,
  upstreams,
  pods,
  inside,
  nameBit,
  lifetimes,
  redirectMilliseconds,
  renewMilliseconds,
} = JSON.parse(process.argv[2]);

const say = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);

/** The addresses inside the cluster; the lab's own network represents the outside. */
const insideAddresses = new InsideAddresses(
  {
    pods: new Map([["p", { addresses: inside.pods.map(parseAddress) }]]),
    nodes: new Map([["n", { addresses: inside.nodes.map(parseAddress) }]]),
    services: [{ addresses: inside.services.map(parseAddress) }],
  },
  inside.podRanges.map(parseCidr),
);

const service = new NameService({
  reach: {
    upstreams: (pod, server) => (pods.flat().includes(pod) ? (upstreams[server.address] ?? []) : []),
    whyInside: (address) => insideAddresses.whyInside(address),
    addressesOf: (pod) => pods.find((addresses) => addresses.includes(pod)) ?? [],
  },
  write: (changes) =>
    new Promise((resolve) => {
      const nft = execFile("nft", ["-f", "-"], (error, _out, complaint) =>
        resolve(error === null ? undefined : complaint || error.message),
      );
      nft.stdin.end(changesText(changes, table));
    }),
  onEvent: say,
  nameBit,
  ...(lifetimes === undefined ? {} : { lifetimes }),
  redirectMilliseconds,
  renewMilliseconds,
});

const sets = names.flatMap(({ fresh, kept }) => [...Object.values(fresh), ...Object.values(kept)]);
let adopted = 0;
for (const set of sets) {
  const left = await leftElements(table, set);
  if (!left.ok) throw new Error(left.message);
  service.adopt(left.value);
  adopted += left.value.length;
}
await service.use(names, servers);
say({ kind: "ready", adopted });

for await (const line of createInterface({ input: process.stdin })) {
  if (line === "refreshKept") {
    await service.refreshKept();
    say({ kind: "refreshed" });
  } else if (line === "elements")
    say({ kind: "elements", text: changesText(service.elementsOf(names), table) });
  else if (line === "stop") break;
}
await service.stop();
process.exit(0);
