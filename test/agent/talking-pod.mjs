// Holds one TCP connection open, on which it talks all the time: what established connections notice. What it is told to say
// it says as well, and it says of each line that came back what that was.

import { connect } from "node:net";
import { createInterface } from "node:readline";

const [address, port] = process.argv.slice(2);
const socket = connect(Number(port), address, () => {
  setInterval(() => socket.write("still there\n"), 50);
  createInterface({ input: process.stdin }).on("line", (line) => socket.write(`${line}\n`));
});
socket.on("error", (error) => console.log(error.message));
createInterface({ input: socket }).on("line", (line) => console.log(line));
