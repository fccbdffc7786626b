// Brings a TCP port into another network namespace: listens on it there, and passes connections on through a unix
// socket, which namespaces share.

import { connect, createServer } from "node:net";

const [port, socket] = process.argv.slice(2);
createServer((near) => {
  const far = connect(socket);
  near.on("error", () => far.destroy()).pipe(far);
  far.on("error", () => near.destroy()).pipe(near);
}).listen(Number(port), "127.0.0.1", () => console.log("listening"));
