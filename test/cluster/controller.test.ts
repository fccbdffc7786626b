import type { JsonObject } from "@tierwall/core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ApiClient } from "./api-client.js";
import { ControlPlane, noControlPlane, startTimeout } from "./control-plane.js";
import {
  conditionsAt,
  createPolicy,
  definitionsIn,
  guarding,
  install,
  kinds,
  type PolicyKind,
  populate,
} from "./policy-cluster.js";
import { RunningController } from "./running-controller.js";

const skipped = noControlPlane === undefined ? "" : ` (skipped: ${noControlPlane})`;
const patience = { timeout: 25_000, interval: 50 };

describe.skipIf(noControlPlane)(`what the controller says of policies${skipped}`, () => {
  let plane: ControlPlane;
  let api: ApiClient;
  let controller: RunningController;
  const made: string[] = [];

  beforeAll(async () => {
    plane = await ControlPlane.start();
    api = new ApiClient(await plane.connect());
    await install(api, [...definitionsIn(""), ...definitionsIn("first-draft/")]);
    await populate(api);
    controller = RunningController.start(plane);
    await controller.says("leading");
  }, startTimeout);
  afterAll(async () => {
    await controller?.stop();
    await plane?.stop();
  });
  afterEach(async () => {
    for (const path of made.splice(0)) await api.delete(path).catch(() => undefined);
  });

  async function create(kind: PolicyKind, name: string, spec: JsonObject): Promise<string> {
    const path = await createPolicy(api, kind, name, spec);
    made.push(path);
    return path;
  }

  it("prints", async () => {
    const path = await create(kinds.cluster, "a", guarding("db", 5, ["Deny", "web"]));
    await create(kinds.cluster, "b", guarding("db", 5, ["Accept", "web"]));
    await expect
      .poll(() => conditionsAt(api, path), patience)
      .toMatchObject({ Accepted: { status: "True" } });
    await expect
      .poll(() => conditionsAt(api, path), patience)
      .toMatchObject({ Conflicted: { status: "True" } });
    console.log(JSON.stringify(await conditionsAt(api, path), null, 1));
    console.log(controller.said);
  });
});
