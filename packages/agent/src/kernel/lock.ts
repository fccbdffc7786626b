import { createServer, type Server } from "node:net";
import { setTimeout } from "node:timers/promises";
import { done, failed, type Outcome } from "./outcome.js";

/** A lock that ends with the process that holds it, however that ends. */
export interface Lock {
  release(): Promise<void>;
}

/**
 * Names of abstract sockets belong to a network namespace, as rules do, and the kernel frees them when their process is
 * gone. A file would have to be cleaned up after a SIGKILL, and would be seen from other namespaces.
 *
 * A program that its process was just starting has the socket as well, until it is itself: so whoever finds a lock held asks
 * for a while.
 */
export async function takeLock(name: string): Promise<Outcome<Lock>> {
  for (const start = performance.now(); ; await setTimeout(between)) {
    const taken = await tryLock(name);
    if (taken !== undefined) return taken;
    if (performance.now() - start > patience)
      return failed(
        `another agent keeps the table \`${name}\` of this network namespace, and its rules stay when it ends: stop it first, as the service \`tierwall-agent\` or as the pod of its DaemonSet on this node`,
      );
  }
}

const patience = 1000;
const between = 20;

/** Undefined where it is held. */
function tryLock(name: string): Promise<Outcome<Lock> | undefined> {
  const server = createServer((connection) => connection.destroy());
  return new Promise((resolve) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      resolve(
        error.code === "EADDRINUSE"
          ? undefined
          : failed(`the lock for the table \`${name}\` cannot be taken: ${error.message}`),
      );
    });
    server.listen({ path: `\0tierwall/${name}` }, () => {
      server.unref();
      resolve(done({ release: () => close(server) }));
    });
  });
}

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
  });
