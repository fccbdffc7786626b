import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NetworkNamespace, whyNoNamespaces } from "../../testing/network-namespace.js";
import { Nft } from "./nft.js";
import { NftSession } from "./nft-session.js";

const reason = whyNoNamespaces();

describe.skipIf(reason)(`an nft that stays${reason ? ` (skipped: ${reason})` : ""}`, () => {
  let node: NetworkNamespace;
  let session: NftSession;
  let nft: Nft;

  beforeEach(() => {
    node = new NetworkNamespace("tws");
    session = new NftSession([...node.enter, "nft"]);
    nft = new Nft([...node.enter, "nft"], session);
  });

  afterEach(async () => {
    await session.close();
    expect(node.processes).toEqual([]);
    node.remove();
  });

  const table = (name: string): string => `table inet ${name} {\n\tset s {\n\t\ttype mark\n\t}\n}\n`;

  test("does one transaction after the other", async () => {
    for (const name of ["a", "b", "c"]) expect(await nft.transact(table(name))).toEqual({ ok: true });
    expect(node.processes).toHaveLength(1);
    expect(node.run("nft", "list", "tables").trim().split("\n")).toHaveLength(3);
  });

  test("does all of a transaction or nothing, and quotes the line that is wrong", async () => {
    const refused = await nft.transact(`${table("a")}add chain inet nowhere c\n`);
    expect(refused).toEqual({
      ok: false,
      message: "nft refused line 6 `add chain inet nowhere c`: No such file or directory",
      interrupted: false,
    });
    expect(node.run("nft", "list", "tables")).toBe("");
    expect(await nft.transact(table("a"))).toEqual({ ok: true });
  });

  test("answers with objects", async () => {
    await nft.transact(`${table("a")}add element inet a s { 7 comment "it is Error: free" }\n`);
    const listed = await nft.objects("list", "set", "inet", "a", "s");
    const elem = [{ elem: { val: 7, comment: "it is Error: free" } }];
    expect(listed.ok && listed.value.at(-1)).toMatchObject({ set: { name: "s", elem } });
    expect(await nft.objects("list", "set", "inet", "a", "t")).toMatchObject({
      ok: false,
      message: /No such file/,
    });
  });

  test("reads hundreds of counters, without a cache", async () => {
    const counters = Array.from(
      { length: 500 },
      (_, i) => `\tcounter c${i} {\n\t\tpackets ${i} bytes ${i}\n\t}\n`,
    );
    await nft.transact(`table inet a {\n${counters.join("")}}\n`);
    const read = async () => {
      const answer = await nft.objects("reset", "counters", "table", "inet", "a");
      return answer.ok ? answer.value.flatMap((one) => ("counter" in one ? [one.counter] : [])) : [];
    };
    expect(await read()).toHaveLength(500);
    expect(await read()).toContainEqual(expect.objectContaining({ name: "c499", packets: 0 }));
    expect(node.processes).toHaveLength(1);
  });

  test("sees what others did since its last answer", async () => {
    await nft.transact(table("a"));
    node.run("nft", "delete", "table", "inet", "a");
    node.run("nft", "add", "table", "inet", "b");
    expect(await nft.transact("add set inet a s { type mark; }\n")).toMatchObject({ ok: false });
    expect(await nft.transact("add set inet b s { type mark; }\n")).toEqual({ ok: true });
  });

  test("is started again when it was killed", async () => {
    await nft.transact(table("a"));
    for (const pid of node.processes) process.kill(pid, "SIGKILL");
    expect(await nft.transact(table("b"))).toMatchObject({ ok: false, interrupted: true });
    expect(await nft.transact(table("b"))).toEqual({ ok: true });
  });

  test("leaves what is long to an nft that ends with it", async () => {
    const elements = Array.from({ length: 40_000 }, (_, i) => i).join(", ");
    expect(await nft.transact(`${table("a")}add element inet a s { ${elements} }\n`)).toEqual({ ok: true });
    expect(node.processes).toEqual([]);
  });
});

test("without a command line of its own, nft is started for each change", async () => {
  const nft = new Nft(["false"], new NftSession(["false"]));
  expect(await nft.transact("")).toMatchObject({ message: "nft failed with status 1" });
});
