// A pod of the lab: answers each line on the ports given with the line itself, and says when it listens.

import { createServer } from "node:net";

const ports = process.argv.slice(2).map(Number);
await Promise.all(
  ports.map(
    (port) =>
      new Promise((listening) => {
        createServer((socket) => socket.on("error", () => undefined).pipe(socket)).listen(
          port,
          "::",
          listening,
        );
      }),
  ),
);
console.log("listening");
