import { describe, expect, it } from "vitest";
import { formatOf, readerOf } from "./format.js";
import type { ReadLine } from "./observation.js";

describe("the format of a file is detected from its first line", () => {
  it.each([
    ['{"flow": {"verdict": "FORWARDED"}}', "hubble"],
    ['{"IP": {"source": "10.0.0.1"}, "verdict": "FORWARDED"}', "hubble"],
    ['{"lost_events": {}}', "hubble"],
    ['{"from": "a/b", "to": "a/c", "port": 80}', "jsonl"],
    ["tcp      6 431999 ESTABLISHED src=10.0.0.1 dst=10.0.0.2 sport=1 dport=80", "conntrack"],
    ["ipv4     2 udp      17 29 src=10.0.0.1 dst=10.0.0.2 sport=1 dport=80", "conntrack"],
    ["from,to,port,protocol,count,time", "csv"],
    ["Count,Destination,Source,DPORT", "csv"],
    ["from,port", undefined],
    ['x "from","to"', undefined],
    ['"from","to"', "csv"],
    ["{", undefined],
    ["hello", undefined],
  ])("%s: %s", (line, format) => expect(formatOf(line)).toBe(format));
});

/** `from to port ×times verdict`, or what else the line is. */
function summary(line: ReadLine | undefined): string {
  if (line === undefined) return "nothing";
  if (line.kind !== "observation") return `${line.kind}: ${line.why}`;
  const { from, to, port, times, seen } = line.observation;
  const parts: readonly unknown[] = [
    from.kind,
    to.kind,
    ...Object.values<unknown>(port),
    times,
    seen?.verdict ?? "?",
  ];
  return `[${parts.join()}]`;
}

const csv = (line: string, header = "from,to,port,protocol,count,verdict,note") => {
  const read = readerOf("csv", header)!;
  expect(read(header)).toBeUndefined();
  return summary(read(line));
};

describe("records of one's own", () => {
  it.each([
    ["a/b,a/c,80,TCP,7,allowed,", "[written,written,number,80,TCP,7,Allow]"],
    ["a/b,10.0.0.1,80", "[written,address,number,80,TCP,1,?]"],
    ["a/b,fd00::1,53,udp,,dropped", "[written,address,number,53,UDP,1,Deny]"],
    ["a/b,a/c,web,,,", "[written,written,named,web,1,?]"],
    ["a/b,a/c,,icmp,,", "[written,written,icmp,1,?]"],
    ['"a/b","a/c","80","TCP","1","","a ""note"", with a comma"', "[written,written,number,80,TCP,1,?]"],
    ["a/b,,80", "broken: it has no `to`"],
    ["a/b,a/c", "broken: it has no `port`"],
    ["a/b,a/c,x/y/z", "broken: `x/y/z` is not a port; write `80/TCP`, a port name, or `ICMP`"],
    ["a/b,a/c,80,TCP,many", "broken: `many` is not a count"],
    ["a/b,a/c,80,TCP,1,perhaps", "broken: `perhaps` is not a verdict; write allowed or denied"],
    ["a/b,a/c,80,TCP,1,,,,", "broken: it has 9 cells, and the header 7"],
  ])("%s: %s", (line, wanted) => expect(csv(line)).toBe(wanted));

  it("are JSON with the same fields as well", () => {
    const read = readerOf("jsonl", "{")!;
    expect(summary(read('{"from": "a/b", "to": "a/c", "port": 80, "count": 3, "time": null}'))).toBe(
      "[written,written,number,80,TCP,3,?]",
    );
    expect(summary(read('{"from": "a/b", "to": ["a/c"], "port": 80}'))).toBe(
      "broken: its `to` is not a string",
    );
    expect(summary(read("80"))).toBe("broken: it is not a JSON object");
  });

  it("a table without a header is none", () => expect(readerOf("csv", "a/b,a/c,80")).toBeUndefined());
});
