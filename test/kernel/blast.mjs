// Sends datagrams to UDP ports 7 and 9 of an address as fast as it can, from several ports, until it is stopped.
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { setImmediate as turn } from "node:timers/promises";

const address = process.argv[2];
const sockets = [];
for (const port of [7, 9, 7, 9, 7, 9, 7, 9]) {
  const socket = createSocket("udp4");
  socket.connect(port, address);
  await once(socket, "connect");
  sockets.push(socket);
}
const ending = new AbortController();
process.once("SIGTERM", () => ending.abort());
console.log("ready");
const datagram = Buffer.from("x");
while (!ending.signal.aborted) {
  await Promise.all(
    sockets.flatMap((socket) =>
      Array.from({ length: 16 }, () => new Promise((sent) => socket.send(datagram, () => sent(undefined)))),
    ),
  );
  // All of this was done at once: without a turn of the event loop no signal would be seen.
  await turn();
}
process.exit();
