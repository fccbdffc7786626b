import type { StartService } from "@tierwall/kube";

/** The page of the cluster that a controller watches, on every address of its pod. Users need the token. */
export function controllerPage(options: {
  readonly port: number;
  readonly hosts: readonly string[];
  readonly token: string;
}): StartService {
  return async (controller, log) => {
    const { ClusterFeed, clusterTitle, startPage } = await import("@tierwall/server");
    const { connection, live } = controller;
    let end = () => undefined as void;
    const feed = new ClusterFeed({
      title: clusterTitle(connection),
      state: controller.options.state,
      watch: async (changed) =>
        new Promise((resolve) => {
          end = live.listen(() => {
            changed();
            resolve();
          });
        }),
      listing: () => controller.listing(),
      stop: async () => end(),
    });
    // Questions are not answered here: a controller that computes for seconds loses the lead.
    const started = await startPage({ ...options, feed, address: "::", answers: "page" });
    if (!started.ok) throw new Error(started.message);
    const { port, close } = started.page;
    log.info({ port }, "serving the page");
    return { stop: close };
  };
}
