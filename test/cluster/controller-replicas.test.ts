import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { ApiClient } from "./api-client.js";
import { ControlPlane, noControlPlane, patience, startTimeout, testTimeout } from "./control-plane.js";
import {
  conditionsAt,
  createPolicy,
  definitionsIn,
  guarding,
  install,
  kinds,
  populate,
  systemNamespace,
} from "./policy-cluster.js";
import { RunningController } from "./running-controller.js";

/* Several controllers on one cluster, one of which leads. */

const skipped = noControlPlane === undefined ? "" : ` (skipped: ${noControlPlane})`;

vi.setConfig({ testTimeout });

/** Long enough that who leads gets to renew it, however busy the machine is. */
const leaseDuration = "12s";
const leasePath = `/apis/coordination.k8s.io/v1/namespaces/${systemNamespace}/leases/tierwall-controller`;

describe.skipIf(noControlPlane)(`replicas of the controller${skipped}`, () => {
  let plane: ControlPlane;
  let api: ApiClient;
  const running: RunningController[] = [];

  beforeAll(async () => {
    plane = await ControlPlane.start();
    api = new ApiClient(await plane.connect());
    await install(api, definitionsIn(""));
    await populate(api);
  }, startTimeout);
  afterAll(async () => plane?.stop());
  afterEach(async () => {
    for (const replica of running.splice(0)) await replica.stop("SIGKILL");
    await api.delete(leasePath).catch(() => undefined);
  });

  async function start(says: "leading" | "following"): Promise<RunningController> {
    const replica = RunningController.start(plane, "--lease-duration", leaseDuration);
    running.push(replica);
    await replica.says(says);
    return replica;
  }

  async function lease() {
    const { body } = await api.ask({ path: leasePath });
    return body.spec as { holderIdentity: string; leaseTransitions: number; leaseDurationSeconds: number };
  }

  const accepted = async (name: string) => {
    const path = await createPolicy(api, kinds.cluster, name, guarding("db", 1, ["Deny", "web"]));
    await expect
      .poll(() => conditionsAt(api, path), patience)
      .toMatchObject({ Accepted: { status: "True" } });
    await api.delete(path);
  };

  it("one leads; when it is killed, another takes over once its Lease is over", async () => {
    const [first, second] = [await start("leading"), await start("following")];
    expect(await lease()).toMatchObject({ leaseTransitions: 0, leaseDurationSeconds: 12 });
    expect(await second.metric("tierwall_leader")).toBe(0);
    // Those that follow know as much.
    expect((await second.get("/readyz")).status).toBe(200);
    expect(await second.metric("tierwall_pods")).toBe(3);
    await accepted("before");
    expect(await second.metric('tierwall_status_writes_total{result="written"}')).toBe(0);
    const { holderIdentity } = await lease();

    await first.stop("SIGKILL");
    await second.says("leading");
    expect(await lease()).toMatchObject({ leaseTransitions: 1 });
    expect((await lease()).holderIdentity).not.toBe(holderIdentity);
    await accepted("after");
  });

  it("one that is stopped releases the Lease, so that no other has to wait", async () => {
    const [first, second] = [await start("leading"), await start("following")];
    expect(await first.stop("SIGTERM")).toBe(0);
    expect(first.said).toContain("no longer leading");
    await second.says("leading");
    expect(await lease()).toMatchObject({ leaseTransitions: 1, leaseDurationSeconds: 12 });
  });

  it("one that was asleep while another took over writes nothing when it wakes, and follows", async () => {
    const [first, second] = [await start("leading"), await start("following")];
    first.child.kill("SIGSTOP");
    await second.says("leading");
    first.child.kill("SIGCONT");
    await first.says("no longer leading");
    const before = await first.metric('tierwall_status_writes_total{result="written"}');
    await accepted("asleep");
    expect(await first.metric('tierwall_status_writes_total{result="written"}')).toBe(before);
    expect(await first.metric("tierwall_leader")).toBe(0);
    expect(await second.metric("tierwall_leader")).toBe(1);
  });

  it("a namespace for the Lease that is not there is said, and waited for", async () => {
    const replica = RunningController.start(
      plane,
      "--namespace",
      "not-there-yet",
      "--lease-duration",
      leaseDuration,
    );
    running.push(replica);
    expect((await replica.says("the leader cannot be determined")).msg).toContain("not-there-yet");
    await api.create("/api/v1/namespaces", { metadata: { name: "not-there-yet" } });
    await replica.says("leading");
  });
});
