import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { folderOf, removeFolders, tierwall } from "../../packages/cli/testing/run-command.js";
import { ApiClient } from "./api-client.js";
import { ControlPlane, noControlPlane, startTimeout, testTimeout } from "./control-plane.js";
import { RunningController } from "./running-controller.js";

/* The page that a controller serves of its cluster. */

const skipped = noControlPlane === undefined ? "" : ` (skipped: ${noControlPlane})`;
const token = "a-token-that-is-hard-to-guess";

interface State {
  readonly revision: string;
  readonly provenance: string;
  readonly sources: readonly { readonly file: string; readonly text: string }[];
  readonly options: object;
}

vi.setConfig({ testTimeout });

describe.skipIf(noControlPlane)(`the page of the controller${skipped}`, () => {
  let plane: ControlPlane;
  let api: ApiClient;
  let controller: RunningController;

  beforeAll(async () => {
    plane = await ControlPlane.start();
    api = new ApiClient(await plane.connect());
    await api.create("/api/v1/namespaces", { metadata: { name: "tierwall-system" } });
    await api.create("/api/v1/namespaces", { metadata: { name: "shop" } });
    const tokenFile = join(folderOf({ token }), "token");
    const page = ["--page-port", "0", "--page-token-file", tokenFile, "--page-host", "tierwall.example"];
    controller = RunningController.start(plane, ...page, "--pod-cidr", "10.244.0.0/16");
    await controller.says("leading");
  }, startTimeout);
  afterAll(async () => {
    await controller?.stop();
    await plane?.stop();
    removeFolders();
  });

  async function ask(path: string, authorization = `Bearer ${token}`): Promise<Response> {
    const { port } = await controller.says("serving the page");
    return fetch(`http://127.0.0.1:${String(port)}${path}`, { headers: { Authorization: authorization } });
  }
  const state = async () => (await (await ask("/api/v1/state")).json()) as State;

  it("is for users who have the token", async () => {
    expect((await ask("/", "")).status).toBe(401);
    expect((await ask("/api/v1/state", "Bearer another-token-altogether")).status).toBe(401);
    expect((await ask("/")).status).toBe(200);
    expect(controller.said).not.toContain(token);
  });

  it("shows the cluster as it changes, and the options of the controller", async () => {
    const first = await state();
    expect(first).toMatchObject({
      provenance: "cluster",
      options: { podCidrs: ["10.244.0.0/16"] },
    });
    await api.create("/apis/networking.k8s.io/v1/namespaces/shop/networkpolicies", {
      metadata: { name: "closed" },
      spec: { podSelector: {}, policyTypes: ["Ingress"] },
    });
    const files = async () => (await state()).sources.map(({ file }) => file);
    while (!(await files()).includes("<cluster>/NetworkPolicy/shop/closed"));
    expect((await state()).revision).not.toBe(first.revision);
  });

  it("leaves questions to the browser: the controller has a lease to renew", async () => {
    expect((await ask("/api/v1/explain?from=shop/a&to=shop/b")).status).toBe(404);
  });

  it.each([
    [[], "a page needs a token; name the file that holds it with --page-token-file"],
    [["--page-token-file", "no-such-file"], "`no-such-file` cannot be read"],
  ])("does not start with %j", (flags, message) => {
    const { status, stderr } = tierwall(["controller", "--page-port", "0", ...flags]);
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
