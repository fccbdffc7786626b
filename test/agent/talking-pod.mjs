// Holds one TCP connection open, and says `echo` on each line that came back: what established connections notice.

import { connect } from "node:net";

const [address, port] = process.argv.slice(2);
const socket = connect(Number(port), address, () => {
  setInterval(() => socket.write("still there\n"), 50);
});
socket.on("data", () => console.log("echo"));
socket.on("error", (error) => console.log(error.message));
