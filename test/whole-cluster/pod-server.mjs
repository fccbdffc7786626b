// A pod of the whole cluster: answers `hello` to every client, over TCP and UDP.

import { createSocket } from "node:dgram";
import { createServer } from "node:net";

for (const port of [53, 80, 5432, 8080]) {
  createServer((socket) => socket.on("error", () => undefined).end("hello")).listen(port, "::");
  const answering = createSocket("udp6");
  answering.on("message", (_, from) => answering.send("hello", from.port, from.address)).bind(port, "::");
}
process.on("SIGTERM", () => process.exit());
