// A pod of the lab whose connections are all its own talk: it says a word on each, again and again, and asks for nothing.

import { createServer } from "node:net";

const server = createServer((socket) => {
  socket.on("error", () => undefined).resume();
  setInterval(() => socket.write("word\n"), 50);
});
server.listen(Number(process.argv[2]), "::", () => console.log("listening"));
