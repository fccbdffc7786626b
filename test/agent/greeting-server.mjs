// A pod of the lab that sends a line on each connection repeatedly, without any request.

import { createServer } from "node:net";

const server = createServer((socket) => {
  socket.on("error", () => undefined).resume();
  setInterval(() => socket.write("word\n"), 50);
});
server.listen(Number(process.argv[2]), "::", () => console.log("listening"));
