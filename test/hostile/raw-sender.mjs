// Sends each message of a file over a connection of its own, all at once, waits a moment for answers, and prints how many connections
// were opened: raw-sender.mjs ADDRESS PORT FILE

import { readFileSync } from "node:fs";
import { connect } from "node:net";

const [host, port, file] = process.argv.slice(2);
const messages = JSON.parse(readFileSync(file, "utf8")).map((text) => Buffer.from(text, "base64"));

const opened = await Promise.all(
  messages.map(
    (message) =>
      new Promise((resolve) => {
        const socket = connect(Number(port), host);
        let isOpen = false;
        socket.on("connect", () => {
          isOpen = true;
          socket.write(message);
          // Long enough for an answer; a connection that is held is given up here.
          socket.setTimeout(2000, () => resolve(isOpen));
        });
        socket.on("error", () => undefined);
        socket.on("data", () => undefined);
        socket.on("close", () => resolve(isOpen));
      }),
  ),
);
process.stdout.write(String(opened.filter(Boolean).length), () => process.exit(0));
