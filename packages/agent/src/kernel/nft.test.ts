import { expect, test } from "vitest";
import { Conntrack } from "./conntrack.js";
import { Nft } from "./nft.js";

/** Says what nft would, and fails. */
const saying = (text: string): Nft =>
  new Nft(["sh", "-c", `cat > /dev/null; printf '%s' "${text}" >&2; exit 1`]);

test.each([
  [
    "/dev/stdin:2:1-9: Error: syntax error, unexpected string\nnonsense!\n^^^^^^^^^",
    "nft refused line 2 `nonsense!`: syntax error, unexpected string",
  ],
  ["Error: cache initialization failed", "nft failed with status 1: cache initialization failed"],
  [
    "/dev/stdin:1:1-9: Error: Could not process rule: Operation not permitted",
    "nft is not permitted to read or change rules: run as root or with the capability NET_ADMIN",
  ],
])("an error of nft is reported in one line", async (said, message) => {
  expect(await saying(said).transact("table inet t\nnonsense!\n")).toMatchObject({ ok: false, message });
});

test("a killed nft is reported as interrupted: it is unknown whether the change was made", async () => {
  expect(await new Nft(["sh", "-c", "kill -KILL $$"]).transact("")).toEqual({
    ok: false,
    message: "nft was ended by SIGKILL",
    interrupted: true,
  });
});

test("a program that is not there is a message that says what to install", async () => {
  expect(await new Nft(["/nowhere/nft"]).transact("")).toMatchObject({
    ok: false,
    message: "nft is not installed: install the package `nftables`",
  });
  const conntrack = await new Conntrack(["/nowhere/conntrack"]).isInstalled();
  expect(conntrack.ok ? "" : conntrack.message).toContain("install the package `conntrack`");
});
