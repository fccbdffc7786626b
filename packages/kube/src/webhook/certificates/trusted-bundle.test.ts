import { expect, it } from "vitest";
import { scriptedConnection } from "../../../testing/scripted-connection.js";
import { ensureTrusted } from "./trusted-bundle.js";

it.each([
  ["Ignore", { isConfigured: true, showsPath: false }],
  ["Fail", { isConfigured: true, showsPath: true }],
  // What the API server makes of it.
  [undefined, { isConfigured: true, showsPath: true }],
] as const)(
  "with failurePolicy %s it is known whether users may learn the path",
  async (failurePolicy, trust) => {
    const service = { name: "tierwall-webhook", namespace: "tierwall-system" };
    const webhook = { clientConfig: { service }, ...(failurePolicy === undefined ? {} : { failurePolicy }) };
    const connection = scriptedConnection(() => ({ status: 200, body: { webhooks: [webhook] } }));
    const introduction = { bundle: "PEM", path: "/validate/secret" };
    expect(await ensureTrusted(connection, "tierwall", introduction, AbortSignal.timeout(60_000))).toEqual(
      trust,
    );
  },
);

it("without a configuration there is none", async () => {
  const connection = scriptedConnection(() => ({ status: 404, body: {} }));
  const introduction = { bundle: "PEM", path: "/validate/secret" };
  expect(await ensureTrusted(connection, "tierwall", introduction, AbortSignal.timeout(60_000))).toEqual({
    isConfigured: false,
    showsPath: true,
  });
});
