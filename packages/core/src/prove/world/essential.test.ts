import { describe, expect, it } from "vitest";
import { refuted } from "../../../testing/proven.js";
import { clusterPolicy } from "../../../testing/manifests.js";

/** Denies everything between pods, except on these ports of TCP. */
const except = (...ports: readonly string[]) =>
  clusterPolicy("guard", {
    ingress: `[${ports
      .map(
        (port) =>
          `{action: Accept, from: [{namespaces: {}}], protocols: [{tcp: {destinationPort: ${port}}}]}, `,
      )
      .join("")}{action: Deny, from: [{namespaces: {}}]}]`,
  });
const number = (port: number) => `{number: ${port}}`;
const range = (start: number, end: number) => `{range: {start: ${start}, end: ${end}}}`;

const claim = "from: {namespaces: {}}\nto: {namespaces: {}}\nverdict: Deny";

describe("S11.3: the port number of a counterexample", () => {
  it.each<[string, ports: readonly string[], essential: readonly string[], incidental: readonly string[]]>([
    ["is essential where it is the only one", [number(443)], ["the port number 443"], []],
    [
      "is essential, with the others that nothing distinguishes from it",
      [range(440, 450)],
      ["the port number (one of 440-450)"],
      [],
    ],
    [
      "could be another: all that are counterexamples are named",
      [number(443), number(8443)],
      [],
      ["the port number (any of 443, 8443)"],
    ],
    [
      "neighbours are one range",
      [number(443), range(444, 450), number(8443)],
      [],
      ["the port number (any of 443-450, 8443)"],
    ],
    [
      "of many, some are named",
      [number(1), number(3), number(5), number(7), number(443)],
      [],
      [expect.stringMatching(/^the port number \(for example \d+, \d+, \d+, \d+\)$/) as string],
    ],
  ])("%s", (_, ports, essential, incidental) => {
    const found = refuted(except(...ports), claim);
    const ofPort = (texts: readonly string[]) => texts.filter((text) => text.startsWith("the port number"));
    expect(ofPort(found.essential)).toEqual(essential);
    expect(ofPort(found.incidental)).toEqual(incidental);
  });
});
