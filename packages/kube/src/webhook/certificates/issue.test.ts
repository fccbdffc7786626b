import { X509Certificate } from "node:crypto";
import { connect, createServer, type TLSSocket } from "node:tls";
import { describe, expect, it } from "vitest";
import { issue } from "./issue.js";

const names = ["tierwall-webhook.tierwall-system.svc", "127.0.0.1", "fd00::1"];
const from = new Date(Date.now() - 60_000);
const times = { from, until: new Date(from.getTime() + 3_600_000) };

describe("a certificate that is issued", () => {
  it("is for the names it was asked for, by an authority that may sign nothing below it", () => {
    const { certificate, authority } = issue({ names, ...times });
    const [leaf, ca] = [new X509Certificate(certificate), new X509Certificate(authority)];
    expect(leaf.checkHost("tierwall-webhook.tierwall-system.svc")).toBeDefined();
    expect(leaf.checkHost("other.tierwall-system.svc")).toBeUndefined();
    expect([leaf.checkIP("127.0.0.1"), leaf.checkIP("fd00::1"), leaf.checkIP("127.0.0.2")]).toEqual([
      "127.0.0.1",
      "fd00::1",
      undefined,
    ]);
    expect([leaf.ca, ca.ca]).toEqual([false, true]);
    expect(leaf.verify(ca.publicKey)).toBe(true);
    expect(leaf.checkIssued(ca)).toBe(true);
  });

  it("is good from when to when it was asked for", () => {
    const leaf = new X509Certificate(issue({ names, ...times }).certificate);
    const inSeconds = (date: Date | string) => Math.floor(new Date(date).getTime() / 1000);
    expect([leaf.validFrom, leaf.validTo].map(inSeconds)).toEqual([times.from, times.until].map(inSeconds));
  });

  it("goes on beyond 2049", () => {
    const until = new Date("2063-04-05T06:07:08Z");
    expect(new Date(new X509Certificate(issue({ names, from, until }).certificate).validTo)).toEqual(until);
  });

  it.each([
    ["its own authority", true],
    ["another one", false],
  ])("is trusted by clients that know %s: %s", async (_, isTrusted) => {
    const served = issue({ names, ...times });
    const ca = isTrusted ? served.authority : issue({ names, ...times }).authority;
    const server = createServer({ key: served.key, cert: served.certificate });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const shaken = await new Promise<TLSSocket | Error>((resolve) => {
      const socket = connect({ port, host: "127.0.0.1", ca }, () => resolve(socket));
      socket.on("error", resolve);
    });
    expect(shaken instanceof Error).toBe(!isTrusted);
    if (!(shaken instanceof Error)) shaken.destroy();
    server.close();
  });
});
