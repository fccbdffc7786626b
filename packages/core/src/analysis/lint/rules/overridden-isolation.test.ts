import { describe, expect, it } from "vitest";
import { cartAndWeb, fromWeb, guardOnPort, policyOfCart } from "../../../../testing/cart-and-web.js";
import { findingsOf, lintedLines } from "../../../../testing/linted.js";
import { overriddenIsolation } from "./overridden-isolation.js";

describe("isolation that a higher tier overrides", () => {
  it("is reported with the rules that allow, how much, and a connection", () => {
    const [found, ...others] = findingsOf(
      overriddenIsolation,
      `${cartAndWeb}${guardOnPort("scrape", "Accept", 9090)}${policyOfCart("")}`,
    );
    expect(others).toEqual([]);
    expect(found?.message).toBe(
      "NetworkPolicy shop/np isolates its pods for ingress, but in this cluster ClusterNetworkPolicy scrape rule 1 allows some of that traffic in a higher tier, for 1 pair of endpoints",
    );
    expect(found?.witness).toMatchObject({ flow: { protocol: "TCP", port: 9090 }, verdict: "Allow" });
  });

  it("is not, if the policy allows it itself", () =>
    expect(
      lintedLines(
        overriddenIsolation,
        `${cartAndWeb}${guardOnPort("scrape", "Accept", 9090)}${policyOfCart(fromWeb)}`,
      ),
    ).toEqual([]));
});
