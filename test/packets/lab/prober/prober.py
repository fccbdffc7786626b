"""Opens connections between network namespaces and tells which of them arrived.

One process for all namespaces. Reads a command a line on stdin and answers each with a line on stdout:

  {"set": [[space, "net/ipv4/ip_forward", "1"], …]}
  {"listen": [[space, "TCP", port], …]}
  {"probe": [{id, space, protocol, source, target, port, tos, padding, keep}, …], "window": seconds}
  {"say": [[id, "client" | "server"], …], "window": seconds}
  {"close": [id, …]}

A probe has *arrived* when whoever listens has read its id, and is *answered* when its sender has read it as well. What
did not happen while nothing at all happened for `window` seconds did not happen.
"""

import errno
import json
import resource
import selectors
import socket
import struct
import sys
import time

import raw_packet
from raw_packet import MESSAGE
from space import Space

RAW = {
    ("ICMP", 4): socket.IPPROTO_ICMP,
    ("ICMP", 6): socket.IPPROTO_ICMPV6,
    ("SCTP", 4): 132,
    ("SCTP", 6): 132,
}
FAMILY = {4: socket.AF_INET, 6: socket.AF_INET6}
IP_PKTINFO = 8
NOT_YET = (errno.EINPROGRESS, errno.EAGAIN, errno.EWOULDBLOCK)
# What a sender sees of a packet that its own namespace drops, and of one that somebody rejects.
DROPPED = (errno.EPERM,)
REJECTED = (errno.ECONNREFUSED, errno.EHOSTUNREACH, errno.EACCES, errno.ECONNRESET)
# Few enough that no queue on the way runs full.
BURST = 64


class Prober:
    def __init__(self):
        self.selector = selectors.DefaultSelector()
        self.spaces = {}
        self.listeners = {}
        self.raws = {}
        # By id: the sockets of both ends; for UDP the server's end is (socket, where from, where to).
        self.clients = {}
        self.servers = {}
        self.arrived = set()
        self.answered = set()
        self.refused = set()
        # Sent, and neither answered nor refused yet.
        self.waiting = set()
        # (id, serial) of what was said on connections that are kept.
        self.heard = set()
        self.serial = 0

    def inside(self, name):
        if name not in self.spaces:
            self.spaces[name] = Space(name)
        self.spaces[name].enter()

    def watch(self, sock, events, handle):
        sock.setblocking(False)
        self.selector.register(sock, events, handle)

    def forget(self, sock):
        if sock.fileno() != -1:
            try:
                self.selector.unregister(sock)
            except KeyError:
                pass
            sock.close()

    # Receivers

    def listen(self, places):
        for name, protocol, port in places:
            if (name, protocol, port) in self.listeners:
                continue
            self.inside(name)
            if protocol in ("ICMP", "SCTP"):
                for family in (4, 6):
                    self.raw(name, protocol, family)
                continue
            kind = socket.SOCK_STREAM if protocol == "TCP" else socket.SOCK_DGRAM
            sock = socket.socket(socket.AF_INET6, kind)
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if protocol == "TCP":
                sock.bind(("::", port))
                sock.listen(1024)
                self.watch(sock, selectors.EVENT_READ, self.accept)
            else:
                sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVPKTINFO, 1)
                sock.bind(("::", port))
                self.watch(sock, selectors.EVENT_READ, self.serve_udp)
            self.listeners[name, protocol, port] = sock

    def accept(self, listener, _):
        try:
            sock, _ = listener.accept()
        except OSError:
            return
        self.watch(sock, selectors.EVENT_READ, self.serve_tcp)

    def serve_tcp(self, sock, _):
        messages = self.read_stream(sock)
        if messages is None:
            return self.forget(sock)
        for number, serial in messages:
            self.heard.add((number, serial))
            if serial == 0:
                self.arrived.add(number)
                self.servers[number] = sock
                self.write(sock, number, 0)

    def serve_udp(self, sock, _):
        data, extras, _, sender = sock.recvmsg(65536, 128)
        number, serial = MESSAGE.unpack_from(data)
        self.heard.add((number, serial))
        if serial == 0:
            self.arrived.add(number)
            self.servers[number] = (sock, own_address(extras), sender)
            self.answer_udp(number, 0)

    def answer_udp(self, number, serial):
        sock, own, sender = self.servers[number]
        extra = (socket.IPPROTO_IPV6, socket.IPV6_PKTINFO, own + struct.pack("@I", 0))
        try:
            sock.sendmsg([MESSAGE.pack(number, serial)], [extra], 0, sender)
        except OSError:
            pass

    # Senders

    def raw(self, name, protocol, family):
        if (name, protocol, family) not in self.raws:
            self.inside(name)
            sock = socket.socket(FAMILY[family], socket.SOCK_RAW, RAW[protocol, family])
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
            if family == 4:
                sock.setsockopt(socket.IPPROTO_IP, IP_PKTINFO, 1)
            else:
                sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVPKTINFO, 1)
            read = self.read_echo if protocol == "ICMP" else self.read_sctp
            self.watch(sock, selectors.EVENT_READ, lambda s, _: read(family, s))
            self.raws[name, protocol, family] = sock
        return self.raws[name, protocol, family]

    def read_echo(self, family, sock):
        packet = sock.recvmsg(2048, 128)[0]
        number = raw_packet.answered_echo(family, packet)
        if number is not None:
            self.arrived.add(number)
            self.finish(number)

    def read_sctp(self, family, sock):
        packet, extras, _, sender = sock.recvmsg(2048, 128)
        read = raw_packet.read_sctp(family, packet)
        if read is None:
            return
        kind, source_port, port, number = read
        if kind == raw_packet.INIT_ACK:
            self.finish(number)
            return
        self.arrived.add(number)
        answer = raw_packet.sctp_init_ack(port, source_port, number)
        send_raw(sock, family, answer, own_address(extras), sender[0])

    def send(self, flow):
        number, protocol = flow["id"], flow["protocol"]
        family = 6 if ":" in flow["target"] else 4
        if protocol in ("ICMP", "SCTP"):
            sock = self.raw(flow["space"], protocol, family)
            if protocol == "ICMP":
                packet = raw_packet.echo_request(family, number)
            else:
                packet = raw_packet.sctp_init(1024 + number % 60000, flow["port"], number)
            source = socket.inet_pton(FAMILY[family], flow["source"])
            send_raw(sock, family, packet, source, flow["target"])
            return
        self.inside(flow["space"])
        kind = socket.SOCK_STREAM if protocol == "TCP" else socket.SOCK_DGRAM
        sock = socket.socket(FAMILY[family], kind)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        self.clients[number] = sock
        if flow["tos"] and family == 4:
            sock.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, flow["tos"])
        elif flow["tos"]:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_TCLASS, flow["tos"])
        sock.setblocking(False)
        try:
            sock.bind(at(flow["source"], 0))
            sock.connect(at(flow["target"], flow["port"]))
            if protocol == "UDP":
                sock.send(MESSAGE.pack(number, 0) + bytes(flow["padding"]))
        except OSError as error:
            if error.errno in REJECTED:
                return self.refuse(number)
            if error.errno not in NOT_YET + DROPPED:
                raise OSError(error.errno, f"{flow}: {error.strerror}") from error
        if protocol == "UDP":
            self.watch(sock, selectors.EVENT_READ, lambda s, _: self.hear_udp(number, s))
        else:
            connected = lambda s, _: self.connected(number, s)
            self.watch(sock, selectors.EVENT_WRITE, connected)

    def connected(self, number, sock):
        if sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0:
            return self.refuse(number)
        self.write(sock, number, 0)
        self.selector.modify(sock, selectors.EVENT_READ, self.hear_tcp)

    def refuse(self, number):
        self.refused.add(number)
        self.waiting.discard(number)
        self.forget(self.clients[number])

    def finish(self, number):
        self.answered.add(number)
        self.waiting.discard(number)

    def hear_tcp(self, sock, _):
        messages = self.read_stream(sock)
        if messages is None:
            return self.forget(sock)
        for number, serial in messages:
            self.hear(number, serial)

    def hear_udp(self, number, sock):
        try:
            self.hear(*MESSAGE.unpack(sock.recv(64)))
        except OSError as error:
            # An ICMP error has come back.
            if error.errno in REJECTED:
                self.refuse(number)

    def hear(self, number, serial):
        self.heard.add((number, serial))
        if serial == 0:
            self.finish(number)

    # Both

    def read_stream(self, sock):
        """The messages that are there; None at the end. They are so short that none is ever cut in two."""
        try:
            data = sock.recv(MESSAGE.size * 64)
        except BlockingIOError:
            return []
        except OSError:
            return None
        return None if data == b"" else list(MESSAGE.iter_unpack(data))

    def write(self, sock, number, serial):
        try:
            sock.send(MESSAGE.pack(number, serial))
        except OSError:
            self.forget(sock)

    def pump(self, seconds):
        events = self.selector.select(seconds)
        for key, mask in events:
            if key.fileobj.fileno() != -1:
                key.data(key.fileobj, mask)
        return len(events) > 0

    def settle(self, window, is_done):
        """Until it is done, or nothing has happened for so long."""
        quiet_since = time.monotonic()
        while not is_done():
            left = quiet_since + window - time.monotonic()
            if left <= 0:
                return
            if self.pump(left):
                quiet_since = time.monotonic()

    # Commands

    def configure(self, settings):
        for name, path, value in settings:
            self.inside(name)
            with open(f"/proc/sys/{path}", "w", encoding="ascii") as setting:
                setting.write(value)

    def probe(self, flows, window):
        ids = [flow["id"] for flow in flows]
        self.waiting = set(ids)
        for start in range(0, len(flows), BURST):
            for flow in flows[start : start + BURST]:
                self.send(flow)
            while self.pump(0):
                pass
        self.settle(window, lambda: not self.waiting)
        for flow in flows:
            if not flow["keep"]:
                self.close(flow["id"])
        while self.pump(0):
            pass
        return {
            "arrived": [number for number in ids if number in self.arrived],
            "answered": [number for number in ids if number in self.answered],
            "refused": [number for number in ids if number in self.refused],
        }

    def say(self, sayings, window):
        self.serial += 1
        wanted = {(number, self.serial) for number, _ in sayings}
        for number, side in sayings:
            client, server = self.clients[number], self.servers.get(number)
            if side == "client":
                self.write(client, number, self.serial)
            elif isinstance(server, tuple):
                self.answer_udp(number, self.serial)
            elif server is not None:
                self.write(server, number, self.serial)
        self.settle(window, lambda: wanted <= self.heard)
        return {"heard": [number for number, _ in sayings if (number, self.serial) in self.heard]}

    def close(self, number):
        client, server = self.clients.pop(number, None), self.servers.pop(number, None)
        if client is not None:
            if client.fileno() != -1:
                # A reset: nothing lingers.
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.forget(client)
        if isinstance(server, socket.socket):
            self.forget(server)

    def obey(self, command):
        if "set" in command:
            self.configure(command["set"])
            return {}
        if "listen" in command:
            self.listen(command["listen"])
            return {}
        if "probe" in command:
            return self.probe(command["probe"], command["window"])
        if "say" in command:
            return self.say(command["say"], command["window"])
        for number in command["close"]:
            self.close(number)
        return {}


def own_address(extras):
    """The address that a packet was sent to, from what came with it."""
    for level, kind, data in extras:
        if level == socket.IPPROTO_IPV6 and kind == socket.IPV6_PKTINFO:
            return data[:16]
        if level == socket.IPPROTO_IP and kind == IP_PKTINFO:
            return data[8:12]
    raise ValueError("a packet came without its destination")


def at(address, port):
    """`fe80::1%eth0` is an address of a link, which says nothing without the link."""
    address, _, link = address.partition("%")
    return (address, port, 0, socket.if_nametoindex(link)) if link else (address, port)


def send_raw(sock, family, packet, source, target):
    if family == 4:
        extra = (socket.IPPROTO_IP, IP_PKTINFO, struct.pack("@I", 0) + source + bytes(4))
    else:
        extra = (socket.IPPROTO_IPV6, socket.IPV6_PKTINFO, source + struct.pack("@I", 0))
    try:
        sock.sendmsg([packet], [extra], 0, (target, 0))
    except OSError as error:
        if error.errno not in DROPPED + REJECTED:
            raise


def main():
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    prober = Prober()
    for line in sys.stdin:
        print(json.dumps(prober.obey(json.loads(line))), flush=True)


main()
