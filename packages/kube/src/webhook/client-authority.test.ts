import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { issue, type Issued } from "./certificates/issue.js";
import { ClientAuthority } from "./client-authority.js";
import { WebhookServer } from "./webhook-server.js";

const times = { from: new Date(Date.now() - 60_000), until: new Date(Date.now() + 3_600_000) };
const client = (name: string): Issued => issue({ names: [name], use: "client", ...times });
const [expected, other, next] = [client("kube-apiserver"), client("alice"), client("kube-apiserver")];

const review = JSON.stringify({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: { uid: "1", operation: "CREATE" },
});

/** The status of the answer, or `none` where the connection was refused. */
async function post(port: number, shown?: Issued): Promise<number | "none"> {
  return new Promise((resolve) => {
    const asked = request(
      {
        port,
        host: "127.0.0.1",
        path: "/validate",
        method: "POST",
        agent: false,
        rejectUnauthorized: false,
        headers: { "content-type": "application/json" },
        ...(shown === undefined ? {} : { cert: shown.certificate, key: shown.key }),
      },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? "none");
      },
    );
    asked.on("error", () => resolve("none"));
    asked.end(review);
  });
}

describe("a webhook that answers certain clients only", () => {
  const folder = mkdtempSync(join(tmpdir(), "tierwall-clients-"));
  const authorityFile = join(folder, "ca.crt");
  let server: WebhookServer;
  let port: number;
  let answered = 0;
  const refused: string[] = [];

  beforeAll(async () => {
    writeFileSync(authorityFile, expected.authority + other.authority);
    const clients = new ClientAuthority({ authorityFile, names: ["kube-apiserver"] }, () => undefined, 50);
    const answer = async () => {
      answered++;
      return { allowed: true, warnings: [] } as const;
    };
    const events = {
      onBadRequest: (message: string) => void refused.push(message),
      onTrouble: (message: string) => void refused.push(message),
    };
    server = new WebhookServer(answer, events, () => ["secret"], clients);
    port = await server.listen(0, "127.0.0.1", issue({ names: ["127.0.0.1"], ...times }));
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  it.each([
    ["no certificate", undefined, "none", 0],
    ["a certificate of another authority", next, "none", 0],
    ["a certificate for servers", issue({ names: ["kube-apiserver"], ...times }), "none", 0],
    ["a certificate with another name", other, 403, 0],
    ["the certificate that is expected", expected, 200, 1],
  ] as const)("one with %s", async (_, shown, wanted, answers) => {
    const before = answered;
    expect(await post(port, shown)).toBe(wanted);
    expect(answered - before).toBe(answers);
  });

  it("follows the file of the authorities", async () => {
    writeFileSync(authorityFile, next.authority);
    await expect.poll(() => post(port, next)).toBe(200);
    expect(await post(port, expected)).toBe("none");
    // What is no authority changes nothing.
    writeFileSync(authorityFile, "");
    await new Promise((later) => setTimeout(later, 200));
    expect(await post(port, next)).toBe(200);
  });

  it.each([
    ["no file", join(folder, "missing"), ["a"], /ENOENT/],
    ["no name", authorityFile, [], /--webhook-client-name/],
  ])("does not start with %s", (_, file, names, message) => {
    writeFileSync(authorityFile, expected.authority);
    expect(() => new ClientAuthority({ authorityFile: file, names }, () => undefined)).toThrow(message);
  });
});
