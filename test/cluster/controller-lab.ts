import type { JsonObject } from "@tierwall/core/manifest";
import { expect } from "vitest";
import { ApiClient } from "./api-client.js";
import { ControlPlane, patience } from "./control-plane.js";
import {
  conditionsAt,
  createPolicy,
  type Definition,
  type FoundCondition,
  install,
  type PolicyKind,
  populate,
} from "./policy-cluster.js";
import { RunningController } from "./running-controller.js";

/** A cluster with these kinds of policies and a few pods, and a controller that leads in it. */
export class ControllerLab {
  private readonly made: string[] = [];

  private constructor(
    readonly plane: ControlPlane,
    readonly api: ApiClient,
    readonly controller: RunningController,
  ) {}

  static async start(definitions: readonly Definition[]): Promise<ControllerLab> {
    const plane = await ControlPlane.start();
    try {
      const api = new ApiClient(await plane.connect());
      await install(api, definitions);
      await populate(api);
      const lab = new ControllerLab(plane, api, RunningController.start(plane));
      await lab.controller.says("leading");
      return lab;
    } catch (cause) {
      await plane.stop();
      throw cause;
    }
  }

  /** A policy for as long as a test runs. Gives back its path. */
  async create(kind: PolicyKind, name: string, spec: JsonObject): Promise<string> {
    const path = await createPolicy(this.api, kind, name, spec);
    this.made.push(path);
    return path;
  }

  /** What else goes when a test is over. */
  removeLater(path: string): void {
    this.made.push(path);
  }

  async removePolicies(): Promise<void> {
    for (const path of this.made.splice(0)) await this.api.delete(path).catch(() => undefined);
  }

  /** Waits until a policy has conditions like these. */
  async conditions(
    path: string,
    wanted: Readonly<Record<string, Partial<FoundCondition>>>,
  ): Promise<Readonly<Record<string, FoundCondition>>> {
    let found: Readonly<Record<string, FoundCondition>> = {};
    await expect
      .poll(async () => (found = await conditionsAt(this.api, path)), patience)
      .toMatchObject(wanted);
    return found;
  }

  async stop(): Promise<void> {
    await this.controller.stop("SIGKILL");
    await this.plane.stop();
  }
}
