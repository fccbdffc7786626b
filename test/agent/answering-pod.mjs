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

createInterface({ input: process.stdin }).on("line", async (line) => {
  const [number, address, port, milliseconds] = line.split(" ");
  console.log(`${number} ${await call(address, Number(port), Number(milliseconds))}`);
});

function call(address, port, milliseconds) {
  return new Promise((resolve) => {
    const socket = connect(port, address);
    const end = (outcome) => {
      socket.destroy();
      resolve(outcome);
    };
    socket.once("connect", () => end("taken"));
    socket.once("error", () => end("refused"));
    // Where this process had to wait for its turn, what came meanwhile is heard first.
    setTimeout(() => setImmediate(() => end("not taken")), milliseconds);
  });
}
