// Keeps one TCP connection open and sends on it all the time, to see what happens to established connections. It also sends the
// lines of its input, and prints each line that comes back.

import { connect } from "node:net";
import { createInterface } from "node:readline";

const [address, port] = process.argv.slice(2);
const socket = connect(Number(port), address, () => {
  setInterval(() => socket.write("still there\n"), 50);
  createInterface({ input: process.stdin }).on("line", (line) => socket.write(`${line}\n`));
});
socket.on("error", (error) => console.log(error.message));
createInterface({ input: socket }).on("line", (line) => console.log(line));
