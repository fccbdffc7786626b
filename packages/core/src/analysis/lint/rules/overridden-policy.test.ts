import { describe, expect, it } from "vitest";
import { cartAndWeb, fromWeb, guardOnPort, policyOfCart } from "../../../../testing/cart-and-web.js";
import { findingsOf, lintedLines } from "../../../../testing/linted.js";
import { overriddenPolicy } from "./overridden-policy.js";

describe("a NetworkPolicy that is overridden", () => {
  it("is reported with the rules that decide otherwise, how much, and a connection", () => {
    const [found, ...others] = findingsOf(
      overriddenPolicy,
      `${cartAndWeb}${guardOnPort("no-ssh", "Deny", 22)}${guardOnPort("no-telnet", "Deny", 23)}${policyOfCart(fromWeb)}`,
    );
    expect(others).toEqual([]);
    expect(found?.message).toBe(
      "NetworkPolicy shop/np is overridden in this cluster: it allows ingress that ClusterNetworkPolicy no-ssh rule 1 and ClusterNetworkPolicy no-telnet rule 1 deny in a higher tier, for 1 pair of endpoints",
    );
    expect(found?.witness).toMatchObject({ flow: { protocol: "TCP", port: 22 }, verdict: "Deny" });
  });

  it("is not, if earlier tiers allow what it allows, or pass it", () => {
    expect(
      lintedLines(
        overriddenPolicy,
        `${cartAndWeb}${guardOnPort("ssh", "Accept", 22)}${policyOfCart(fromWeb)}`,
      ),
    ).toEqual([]);
    expect(
      lintedLines(overriddenPolicy, `${cartAndWeb}${guardOnPort("ssh", "Pass", 22)}${policyOfCart(fromWeb)}`),
    ).toEqual([]);
  });
});
