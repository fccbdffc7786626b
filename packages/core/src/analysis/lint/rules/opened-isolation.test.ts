import { describe, expect, it } from "vitest";
import { cartAndWeb, fromWeb, guardOnPort, policyOfCart } from "../../../../testing/cart-and-web.js";
import { findingsOf, lintedLines } from "../../../../testing/linted.js";
import { openedIsolation } from "./opened-isolation.js";

describe("isolation that a higher tier opens", () => {
  it("is told of with who allows, how much, and a connection", () => {
    const [found, ...others] = findingsOf(
      openedIsolation,
      `${cartAndWeb}${guardOnPort("scrape", "Accept", 9090)}${policyOfCart("")}`,
    );
    expect(others).toEqual([]);
    expect(found?.message).toBe(
      "NetworkPolicy shop/np isolates its pods for ingress, and ClusterNetworkPolicy scrape rule 1 allows some of it all the same: 1 pair of ends",
    );
    expect(found?.witness).toMatchObject({ flow: { protocol: "TCP", port: 9090 }, verdict: "Allow" });
  });

  it("is not, where the policy allows it itself", () =>
    expect(
      lintedLines(
        openedIsolation,
        `${cartAndWeb}${guardOnPort("scrape", "Accept", 9090)}${policyOfCart(fromWeb)}`,
      ),
    ).toEqual([]));
});
