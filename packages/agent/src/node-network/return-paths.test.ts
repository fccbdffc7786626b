import { afterAll, describe, expect, it } from "vitest";
import { NetworkNamespace, whyNoNamespaces } from "../../testing/network-namespace.js";
import { Nft } from "../kernel/nft.js";
import { supportsReturnPaths } from "./return-paths.js";

const reason = whyNoNamespaces();

describe.skipIf(reason !== undefined)(
  `whether rules can check through which device an address is reached${reason ? ` (${reason})` : ""}`,
  () => {
    const space = new NetworkNamespace("tw-return");
    afterAll(() => space.remove());

    it("is asked without leaving anything behind", async () => {
      expect(await supportsReturnPaths(new Nft([...space.enter, "nft"]), "6.18.0")).toBe(true);
      expect(space.run("nft", "list", "ruleset")).toBe("");
    });
  },
);

describe("a kernel without such checks", () => {
  const taking = new Nft(["true"]);

  it("refuses the rules that ask for it", async () => {
    expect(await supportsReturnPaths(new Nft(["false"]), "5.15.0-105-generic")).toBe(false);
    expect(await supportsReturnPaths(taking, "5.15.0-105-generic")).toBe(true);
  });

  it.each(["4.18.0-553.el8.x86_64", "5.4.0-182-generic", "5.10.0-29-amd64"])(
    "is not asked where it says yes to everything: %s",
    async (release) => {
      expect(await supportsReturnPaths(taking, release)).toBe(false);
    },
  );

  it.each(["5.11.0", "5.19.17", "6.1.0-18-amd64", "10.0-rc1"])(
    "is asked from then on: %s",
    async (release) => {
      expect(await supportsReturnPaths(taking, release)).toBe(true);
    },
  );
});
