import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { issue, type MetricsAccess, serveMetrics, WebhookServer } from "@tierwall/kube";
import { FileFeed, startPage } from "@tierwall/server";
import { expect } from "vitest";
import { exchange, type ListenerUnderTest, request, statusesIn } from "./raw-requests.js";

/** A listener as the product opens it, with what a client that means well gets from it. */
export interface HostileListener extends ListenerUnderTest {
  /** Where it does most. */
  readonly paths: readonly string[];
  /** What it reported as failures of its own. */
  readonly troubles: readonly string[];
  /** Fails unless an ordinary request is answered as usual. */
  readonly expectService: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const healthy = { broken: () => undefined, waitingFor: () => undefined };

async function metricsListener(token?: string): Promise<HostileListener> {
  const troubles: string[] = [];
  const access: MetricsAccess = {
    check: async (given) => (given === `Bearer ${token}` ? "allowed" : "unauthenticated"),
  };
  const { port, close } = await serveMetrics({
    address: { host: "127.0.0.1", port: 0 },
    metrics: { contentType: "text/plain", text: async () => "figures 1\n" },
    health: healthy,
    ...(token === undefined ? {} : { access }),
    onTrouble: (message) => void troubles.push(message),
  });
  const authorization = token === undefined ? [] : [`Authorization: Bearer ${token}`];
  return {
    port,
    paths: ["/metrics", "/livez", "/readyz"],
    troubles,
    close,
    expectService: async () => {
      const ask = request("GET /metrics HTTP/1.1", [...authorization, "Connection: close"]);
      expect(await exchange({ port }, ask)).toContain("figures 1");
    },
  };
}

const certificate = () =>
  issue({
    names: ["127.0.0.1"],
    from: new Date(Date.now() - 60_000),
    until: new Date(Date.now() + 3_600_000),
  });

async function webhookListener(): Promise<HostileListener> {
  const troubles: string[] = [];
  const server = new WebhookServer(
    async () => ({ allowed: true, warnings: [] }),
    {
      onBadRequest: () => undefined,
      onTrouble: (message) => void troubles.push(message),
    },
    () => ["secret"],
  );
  const port = await server.listen(0, "127.0.0.1", certificate());
  const review = JSON.stringify({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: { uid: "good", operation: "CREATE", object: { kind: "Pod" } },
  });
  const headers = ["Content-Type: application/json", `Content-Length: ${review.length}`, "Connection: close"];
  return {
    port,
    tls: true,
    paths: ["/validate/secret", "/validate/secret?timeout=10s"],
    troubles,
    close: () => server.stop(),
    expectService: async () => {
      const answer = await exchange(
        { port, tls: true },
        request("POST /validate/secret HTTP/1.1", headers, review),
      );
      expect(answer).toContain('"uid":"good","allowed":true');
    },
  };
}

async function pageListener(): Promise<HostileListener> {
  const folder = mkdtempSync(join(tmpdir(), "tierwall-hostile-"));
  mkdirSync(join(folder, "page"));
  writeFileSync(join(folder, "page", "index.html"), "<!doctype html><title>Tierwall</title>");
  writeFileSync(join(folder, "cluster.yaml"), "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n");
  const opened = FileFeed.open({
    paths: [join(folder, "cluster.yaml")],
    title: "Test",
    recursive: false,
    state: {},
  });
  if (!opened.ok) throw new Error(opened.diagnostics[0]!.message);
  const started = await startPage({
    feed: opened.feed,
    port: 0,
    folder: pathToFileURL(`${join(folder, "page")}/`),
  });
  if (!started.ok) throw new Error(started.message);
  const { port, close } = started.page;
  return {
    port,
    paths: ["/api/v1/state", "/api/v1/preview"],
    troubles: [],
    close: async () => {
      await close();
      rmSync(folder, { recursive: true });
    },
    expectService: async () => {
      const answer = await exchange({ port }, request("GET / HTTP/1.1", ["Connection: close"]));
      expect([statusesIn(answer), answer]).toEqual([
        [200],
        expect.stringContaining("<title>Tierwall</title>"),
      ]);
    },
  };
}

export const hostileListeners: Readonly<Record<string, () => Promise<HostileListener>>> = {
  "metrics of the agent and the controller": () => metricsListener(),
  "metrics behind a token": () => metricsListener("secret"),
  "the webhook": webhookListener,
  "the page": pageListener,
};
