// A pod of the lab. It echoes each line on the given ports, and prints when it listens. It opens the connections of its input,
// one `number address port milliseconds` per line, and prints for each number whether it was established in time.

import { connect, createServer } from "node:net";
import { createInterface } from "node:readline";

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

createInterface({ input: process.stdin }).on("line", (line) => {
  const [number, address, port, milliseconds] = line.split(" ");
  const socket = connect(Number(port), address);
  let isOver = false;
  const end = (outcome) => {
    if (!isOver) console.log(`${number} ${outcome}`);
    isOver = true;
    socket.destroy();
  };
  socket.once("connect", () => end("taken"));
  socket.once("error", () => end("refused"));
  // Where this process had to wait for its turn, what came meanwhile is heard first.
  setTimeout(() => setImmediate(() => end("not taken")), Number(milliseconds));
});
