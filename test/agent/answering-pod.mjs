// A pod of the lab. It answers each line on the ports given with the line itself, and says when it listens. It calls whom it
// is told to call, `number address port milliseconds` a line, and says of each number whether the call was taken by then.

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
