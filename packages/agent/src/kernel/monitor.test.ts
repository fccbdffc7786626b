import { expect, test } from "vitest";
import { Monitor } from "./monitor.js";

const end = "# new generation 9 by process 4711 (nft)";
const state = (digest: string): string =>
  `add element inet tierwall state { 0x00000005 comment "generation 2 spent 2 digest ${digest}" }`;
const ours = state("0123456789abcdef");

/** How often another process was noticed in lines of `nft monitor`. */
function noticed(...lines: readonly string[]): number {
  let count = 0;
  const monitor = new Monitor({
    command: ["nft"],
    isInForce: (table) => table === "tierwall",
    isReserved: (table) => table.startsWith("tierwall"),
    isOurs: (digest) => digest === "0123456789abcdef",
    isLearned: (set) => set === "names",
    onForeign: () => {
      count += 1;
    },
  });
  for (const line of lines) monitor.read(line);
  return count;
}

test.each<[title: string, lines: string[], count: number]>([
  ["what we did ourselves", ["delete rule inet tierwall egress handle 8", ours, end], 0],
  ["a rule deleted", ["delete rule inet tierwall egress handle 8", end], 1],
  ["a transaction with a state that we did not write", [state("ffffffffffffffff"), end], 1],
  ["our state deleted", [ours.replace("add", "delete"), end], 1],
  ["a table of others", ["add table ip kube-proxy", "delete table inet theirs", end], 0],
  ["a table with almost our name", ["add table inet tier", end], 0],
  ["a table of another family with our name", ["add table ip tierwall", end], 0],
  ["others and us", ["add table ip kube-proxy", "delete table inet tierwall", end], 1],
  ["elements that are learned", ["add element inet tierwall names { 10.0.0.1 . 192.0.2.1 }", end], 0],
  ["a table with our other name, loaded", ["add table inet tierwall-b", end], 1],
  ["a table with our other name, taken away", ["delete table inet tierwall-b", end], 0],
  ["events that were lost", ["# ERROR: We lost some netlink events!", "add table ip kube-proxy", end], 1],
  ["a transaction of which nothing was printed", [end], 1],
  [
    "two after an own one",
    [ours, end, "add chain inet tierwall c", end, "add chain inet tierwall d", end],
    2,
  ],
])("%s", (_, lines, count) => {
  expect(noticed(...lines)).toBe(count);
});
