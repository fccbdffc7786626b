// A DNS server that sends forged answers before the right one: from another address, with another id, to another
// question, then the true one, and the same again with another address in it.
import { createSocket } from "node:dgram";
import packet from "dns-packet";

const [address, other, truth, lie] = process.argv.slice(2);
const [server, stranger] = [createSocket("udp4"), createSocket("udp4")];
stranger.bind(53, other);
server.on("message", (bytes, from) => {
  const query = packet.decode(bytes);
  const answer = (data, change = {}) =>
    packet.encode({
      type: "response",
      id: query.id,
      questions: query.questions,
      answers: [{ type: "A", name: query.questions[0].name, ttl: 60, data }],
      ...change,
    });
  const say = (socket, reply) => socket.send(reply, from.port, from.address);
  say(stranger, answer(lie));
  say(server, answer(lie, { id: (query.id + 1) % 0x10000 }));
  say(server, answer(lie, { questions: [{ ...query.questions[0], name: "another.example.test" }] }));
  say(server, Buffer.from("not DNS at all"));
  setTimeout(() => {
    say(server, answer(truth));
    say(server, answer(lie));
  }, 100);
});
server.bind(53, address, () => process.stdout.write("ready\n"));
