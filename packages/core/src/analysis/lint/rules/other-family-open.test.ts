import { describe, expect, it } from "vitest";
import { findingsOf, linted } from "../../../../testing/linted.js";
import { clusterPolicy, namespace, pod } from "../../../../testing/manifests.js";
import { formatEndpoint } from "../../../evaluate/flow.js";
import { otherFamilyOpen } from "./other-family-open.js";

const dual = namespace("shop") + pod("shop/cart", { ips: ["10.0.0.1", "fd00::1"] });
const single = namespace("shop") + pod("shop/cart", { ips: ["10.0.0.1"] });
const deny = (networks: string, more = "") =>
  clusterPolicy("no-internet", { egress: `[{action: Deny, to: [{networks: [${networks}]}]}${more}]` });
const found = (yaml: string) => findingsOf(otherFamilyOpen, yaml);

describe("a denial of one address family", () => {
  it.each([
    ["IPv4", "0.0.0.0/0", "this denies IPv4 only: `0.0.0.0/0` does not match IPv6, which stays open"],
    ["IPv6", '"::/0"', "this denies IPv6 only: `::/0` does not match IPv4, which stays open"],
    [
      "IPv4 next to narrower networks",
      "0.0.0.0/0, fd00::/8",
      "this denies IPv4 only: `0.0.0.0/0` does not match IPv6, which stays open",
    ],
  ])("of %s is reported in a dual-stack cluster", (_what, networks, message) =>
    expect(found(dual + deny(networks)).map((f) => [f.severity, f.message])).toEqual([["warning", message]]),
  );

  it("has the open connection for a witness, and points to the network", () => {
    const [only] = found(dual + deny("0.0.0.0/0"));
    const witness = only?.witness?.kind === "flow" ? only.witness : undefined;
    expect([
      witness?.verdict,
      formatEndpoint(witness!.flow.source),
      formatEndpoint(witness!.flow.destination),
    ]).toEqual(["Allow", "shop/cart", "2001:db8::7"]);
    expect(linted(otherFamilyOpen, dual + deny("0.0.0.0/0"))[0]).toMatch(/^\[0\.0\.0\.0\/0\] /);
  });

  it("is a note where no pod has an address of the other family", () =>
    expect(found(single + deny("0.0.0.0/0")).map((f) => [f.severity, f.message])).toEqual([
      [
        "note",
        "this denies IPv4 only: `0.0.0.0/0` does not match IPv6, which stays open once pods get such addresses",
      ],
    ]));

  it("is reported for policies without a cluster", () =>
    expect(found(deny("0.0.0.0/0")).map((f) => f.severity)).toEqual(["warning"]));

  it.each([
    ["both families", dual + deny('0.0.0.0/0, "::/0"')],
    [
      "a rule for each in one policy",
      dual + deny("0.0.0.0/0", ', {action: Deny, to: [{networks: ["::/0"]}]}'),
    ],
    ["a part of a family", dual + deny("10.0.0.0/8")],
    [
      "another policy that closes the gap",
      dual +
        deny("0.0.0.0/0") +
        clusterPolicy("no-ipv6", { priority: "11", egress: '[{action: Deny, to: [{networks: ["::/0"]}]}]' }),
    ],
    [
      "a gap that another policy leaves on purpose",
      dual +
        deny("0.0.0.0/0") +
        clusterPolicy("v6", {
          priority: "11",
          egress:
            '[{action: Accept, to: [{networks: ["2001:db8::/32"]}]}, {action: Deny, to: [{networks: ["::/0"]}]}]',
        }),
    ],
  ])("does not report %s", (_what, yaml) =>
    expect(linted(otherFamilyOpen, yaml).filter((text) => text.includes("IPv4 only"))).toEqual([]),
  );
});
