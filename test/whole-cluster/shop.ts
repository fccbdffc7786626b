import type { Administrator } from "./administrator.js";

/** The clients of the payments API: two carts, one on each node, and a spy. */
export const callers = ["shop/cart-1", "shop/cart-2", "shop/spy"] as const;

interface Pod {
  readonly status: { readonly podIPs: readonly { readonly ip: string }[] };
}

/** The cluster of shop.yaml: which pods reach which others, and Tierwall's verdicts. */
export class Shop {
  constructor(private readonly admin: Administrator) {}

  async addressesOf(pod: string): Promise<readonly string[]> {
    const [namespace, name] = pod.split("/") as [string, string];
    const { status } = await this.admin.get<Pod>("-n", namespace, "pod", name);
    return status.podIPs.map(({ ip }) => ip);
  }

  /** By packets, whether each of the callers gets through to a pod, at each of its addresses. */
  async whoReaches(pod: string, port: number): Promise<Readonly<Record<string, readonly boolean[]>>> {
    const targets = (await this.addressesOf(pod)).map((host) => ({ host, port }));
    const asked = callers.map(async (caller) => [caller, await this.admin.reaches(caller, targets)] as const);
    return Object.fromEntries(await Promise.all(asked));
  }

  async saysExplain(from: string, to: string, port: number): Promise<string> {
    const question = ["--from", from, "--to", to, "--port", `${port}`];
    const { stdout } = await this.admin.tierwall("explain", ...question, "-o", "json");
    return (JSON.parse(stdout) as { verdict: string }).verdict;
  }
}
