import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Connection, connect } from "./connection.js";
import { type ClusterListing, listCluster } from "./cluster-listing.js";
import { foreignWatchedKinds } from "./foreign-kinds.js";
import { watchedKinds } from "./kinds.js";

/* Servers that say what clusters say when something is wrong; a real one answers in test/cluster/live-cli.test.ts. */

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
}

const list = (names: readonly string[], more = ""): Answer => ({
  status: 200,
  body: {
    apiVersion: "v1",
    metadata: { resourceVersion: "7", continue: more },
    items: names.map((name) => ({ metadata: { name, managedFields: [1] } })),
  },
});
const refused = (status: number, message = "no", headers = {}): Answer => ({
  status,
  headers,
  body: { message },
});

/** The answer to `/apis`. */
const serving = (
  ...served: readonly (readonly [apiVersion: string, plural: string, freshness?: string])[]
): Answer => ({
  status: 200,
  body: {
    kind: "APIGroupDiscoveryList",
    items: served.map(([apiVersion, resource, freshness = "Current"]) => {
      const [name, version] = apiVersion.split("/");
      return { metadata: { name }, versions: [{ version, resources: [{ resource }], freshness }] };
    }),
  },
});

let server: Server | undefined;
let folder: string | undefined;
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  if (folder !== undefined) rmSync(folder, { recursive: true });
  server = folder = undefined;
});

/** Whose answers these are, by path and query; in a context of a namespace, if one is named. */
async function connected(answer: (url: string) => Answer, namespace?: string): Promise<Connection> {
  server = createServer((request, response) => {
    const { status, headers = {}, body } = answer(request.url ?? "");
    response.writeHead(status, headers).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  folder = mkdtempSync(join(tmpdir(), "tierwall-listing-"));
  const config = {
    clusters: [
      { name: "c", cluster: { server: `http://127.0.0.1:${port}`, "insecure-skip-tls-verify": true } },
    ],
    users: [{ name: "u", user: {} }],
    contexts: [{ name: "one", context: { cluster: "c", user: "u", namespace } }],
    "current-context": "one",
  };
  writeFileSync(join(folder, "config"), JSON.stringify(config));
  const made = await connect({ kubeconfig: join(folder, "config") });
  if (!made.ok) throw new Error(made.message);
  return made.connection;
}

const kinds = watchedKinds.filter(({ kind }) => ["Namespace", "AdminNetworkPolicy"].includes(kind));
const isNamespaces = (url: string) => url.startsWith("/api/v1/namespaces");

describe("the objects of a cluster", () => {
  it("come page by page, in the order of their names, and only what is used of them", async () => {
    const connection = await connected((url) => {
      if (!isNamespaces(url)) return list([]);
      return url.includes("continue=next") ? list(["a"]) : list(["c", "b"], "next");
    });
    const seen: number[] = [];
    const listed = await listCluster(connection, { kinds, objectsRead: (count) => seen.push(count) });
    const namespace = (name: string) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    expect(listed).toEqual({
      ok: true,
      listing: { objects: ["a", "b", "c"].map(namespace), forbidden: [], missing: [] },
    });
    expect(seen).toEqual([1, 2, 3]);
  });

  it.each([
    ["a server that is busy", refused(429, "slow down", { "retry-after": "0" })],
    ["a page that the server has forgotten", refused(410, "gone")],
  ])("are asked for again after %s", async (_, trouble) => {
    let asked = 0;
    const connection = await connected((url) =>
      isNamespaces(url) && asked++ === 0 ? trouble : list(isNamespaces(url) ? ["a"] : []),
    );
    expect(await listCluster(connection, { kinds })).toMatchObject({
      ok: true,
      listing: { objects: [{ metadata: { name: "a" } }] },
    });
  });

  it("may be hidden, or of a kind that is not served: that is reported", async () => {
    const three = [...kinds, ...watchedKinds.filter(({ kind }) => kind === "Pod")];
    const connection = await connected((url) =>
      url.startsWith("/api/v1/pods") ? list([]) : isNamespaces(url) ? refused(403) : refused(404),
    );
    expect(await listCluster(connection, { kinds: three })).toEqual({
      ok: true,
      listing: {
        objects: [],
        forbidden: ["namespaces"],
        missing: ["adminnetworkpolicies.policy.networking.k8s.io"],
      },
    });
  });

  it("may be hidden except for those of one namespace, that of the context: that is reported", async () => {
    const four = watchedKinds.filter(({ kind }) =>
      ["Namespace", "Node", "Pod", "NetworkPolicy"].includes(kind),
    );
    const own: Readonly<Record<string, Answer>> = {
      "/api/v1/namespaces/shop": {
        status: 200,
        body: { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
      },
      "/api/v1/namespaces/shop/pods": list(["web"]),
    };
    const answer = (url: string) => own[url.split("?")[0]!] ?? refused(403);
    const { listing } = (await listCluster(await connected(answer, "shop"), { kinds: four })) as {
      listing: ClusterListing;
    };
    expect(listing.objects.map(({ kind }) => kind)).toEqual(["Namespace", "Pod"]);
    expect(listing).toMatchObject({
      forbidden: ["nodes", "networkpolicies.networking.k8s.io"],
      onlyIn: { namespace: "shop", resources: ["namespaces", "pods"] },
    });
  });

  it.each([
    ["is not served", serving(), "missing"],
    ["is another one of its group", serving(["policy.networking.k8s.io/v1alpha1", "others"]), "missing"],
    ["is served", serving(["policy.networking.k8s.io/v1alpha1", "adminnetworkpolicies"]), "forbidden"],
    ["is not to be known", refused(403), "forbidden"],
  ] as const)("of a kind that is forbidden and %s", async (_, discovery, said) => {
    const connection = await connected((url) => {
      if (isNamespaces(url)) return list([]);
      return url.includes("adminnetworkpolicies") ? refused(403) : discovery;
    });
    const resource = "adminnetworkpolicies.policy.networking.k8s.io";
    expect(await listCluster(connection, { kinds })).toMatchObject({
      ok: true,
      listing: { forbidden: [], missing: [], [said]: [resource] },
    });
  });

  describe("S3.10: of a kind in versions", () => {
    const policies = watchedKinds.filter(
      ({ kind, group }) => kind === "ClusterNetworkPolicy" && group === "policy.networking.k8s.io",
    );
    const collection = (version: string) =>
      `/apis/policy.networking.k8s.io/${version}/clusternetworkpolicies?limit=500`;
    const inVersion = (version: string): Answer => ({
      status: 200,
      body: { ...list(["guard"]).body, apiVersion: `policy.networking.k8s.io/${version}` },
    });
    const group = (...versions: readonly string[]): Answer => ({
      status: 200,
      body: {
        kind: "APIGroupDiscoveryList",
        items: [
          {
            metadata: { name: "policy.networking.k8s.io" },
            versions: versions.map((version) => ({
              version,
              resources: [{ resource: "clusternetworkpolicies" }],
              freshness: "Current",
            })),
          },
        ],
      },
    });

    it.each([
      ["v1alpha2 alone", ["v1alpha2"], "v1alpha2"],
      ["v1beta1 alone", ["v1beta1"], "v1beta1"],
      ["both", ["v1beta1", "v1alpha2"], "v1alpha2"],
      ["a known and an unknown one", ["v1", "v1beta1"], "v1beta1"],
      ["an unknown one alone", ["v1"], "v1"],
    ] as const)("%s, each object once, with one request", async (_, served, wanted) => {
      const asked: string[] = [];
      const connection = await connected((url) => {
        if (url === "/apis") return group(...served);
        asked.push(url);
        const version = served.find((one) => url === collection(one));
        return version === undefined ? refused(404) : inVersion(version);
      });
      expect(await listCluster(connection, { kinds: policies })).toMatchObject({
        ok: true,
        listing: {
          objects: [{ apiVersion: `policy.networking.k8s.io/${wanted}`, metadata: { name: "guard" } }],
          missing: [],
        },
      });
      expect(asked).toEqual([collection(wanted)]);
    });

    it("an unknown one, from a server that lists only groups", async () => {
      const answers: Readonly<Record<string, Answer>> = {
        "/apis": {
          status: 200,
          body: {
            kind: "APIGroupList",
            groups: [{ name: "policy.networking.k8s.io", versions: [{ version: "v1" }] }],
          },
        },
        "/apis/policy.networking.k8s.io/v1": {
          status: 200,
          body: { resources: [{ name: "clusternetworkpolicies" }] },
        },
        [collection("v1")]: inVersion("v1"),
      };
      const connection = await connected((url) => answers[url] ?? refused(404));
      expect(await listCluster(connection, { kinds: policies })).toMatchObject({
        listing: { objects: [{ apiVersion: "policy.networking.k8s.io/v1" }] },
      });
    });

    it("is not assumed to be absent because discovery does not list it yet", async () => {
      const connection = await connected((url) =>
        url === "/apis" ? serving() : refused(503, "not installed yet"),
      );
      expect(await listCluster(connection, { kinds: policies })).toEqual({
        ok: false,
        message: "not installed yet",
      });
    });
  });

  describe("of other projects", () => {
    const calico = "crd.projectcalico.org/v1";
    const resource = "globalnetworkpolicies.crd.projectcalico.org";
    const served = (answer: Answer, discovery: Answer) => async () => {
      const connection = await connected((url) => {
        if (isNamespaces(url)) return list([]);
        if (url === "/apis") return discovery;
        return url.startsWith(`/apis/${calico}/globalnetworkpolicies`) ? answer : refused(404);
      });
      const found = await listCluster(connection, {
        kinds: [...kinds.filter(({ kind }) => kind === "Namespace"), ...foreignWatchedKinds],
      });
      return found.ok ? found.listing : found.message;
    };
    const discovered = serving([calico, "globalnetworkpolicies"]);

    it("are listed where they are served, and nowhere else", async () => {
      expect(await served(list(["deny-all"]), discovered)()).toMatchObject({
        objects: [{ kind: "GlobalNetworkPolicy", metadata: { name: "deny-all" } }],
        forbidden: [],
        missing: [],
      });
    });

    it.each([
      ["may not be read", refused(403), discovered],
      ["cannot be read", refused(500), discovered],
      [
        "may be served by a server that does not answer",
        refused(503),
        serving([calico, "globalnetworkpolicies", "Stale"]),
      ],
    ])("are named where they %s, and other answers are given", async (_, answer, discovery) => {
      expect(await served(answer, discovery)()).toMatchObject({ objects: [], forbidden: [resource] });
    });

    it("may be there unseen where the server does not say what it serves", async () => {
      expect(await served(list([]), refused(403, "no discovery"))()).toMatchObject({
        forbidden: [],
        undiscovered: "no discovery",
      });
    });
  });

  it.each([
    ["everything is forbidden", () => refused(403, "guests may not"), "guests may not"],
    ["the user is not known", () => refused(401, "Unauthorized"), "Unauthorized"],
    ["the server is no API server", () => refused(404), "no API server of Kubernetes"],
    ["the server says anything", () => ({ status: 200, body: {} }), "not a list of objects"],
    ["the server has failed", () => refused(500, "etcd is unavailable"), "etcd is unavailable"],
    ["the server is busy for long", () => refused(429, "later", { "retry-after": "60" }), "later"],
  ] as const)("cannot be had where %s", async (_, answer, message) => {
    const connection = await connected(answer);
    expect(await listCluster(connection, { kinds })).toEqual({
      ok: false,
      message: expect.stringContaining(message) as string,
    });
  });

  it("are not waited for when it is too late", async () => {
    const connection = await connected(() => list(["a"]));
    expect(await listCluster(connection, { kinds, signal: AbortSignal.abort() })).toMatchObject({
      ok: false,
    });
  });
});
