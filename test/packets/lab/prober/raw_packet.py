"""Packets that no ordinary socket makes: echo requests, and the first packets of an SCTP association.

SCTP is written by hand because many kernels have no sockets for it; filters and connection tracking know it anyway.
"""

import struct

MESSAGE = struct.Struct("!II")

ECHO_REQUEST = {4: 8, 6: 128}
ECHO_REPLY = {4: 0, 6: 129}

INIT = 1
INIT_ACK = 2


def echo_request(family, number):
    header = struct.pack("!BBHHH", ECHO_REQUEST[family], 0, 0, number & 0xFFFF, number >> 16)
    packet = header + MESSAGE.pack(number, 0)
    # The kernel sums up ICMPv6 itself.
    return packet if family == 6 else packet[:2] + struct.pack("!H", internet_sum(packet)) + packet[4:]


def answered_echo(family, packet):
    """The number in an echo reply, or None for any other packet."""
    packet = without_ip_header(family, packet)
    if len(packet) < 16 or packet[0] != ECHO_REPLY[family]:
        return None
    return MESSAGE.unpack_from(packet, 8)[0]


def sctp_init(source_port, port, number):
    return sctp(source_port, port, 0, INIT, number)


def sctp_init_ack(source_port, port, number):
    return sctp(source_port, port, number, INIT_ACK, number)


def sctp(source_port, port, tag, kind, number):
    # Its own tag, window, streams out and in, first sequence number.
    chunk = struct.pack("!BBHIIHHI", kind, 0, 20, number, 65536, 1, 1, 1)
    if kind == INIT_ACK:
        # A cookie, without which connection tracking takes it for malformed.
        chunk = chunk[:2] + struct.pack("!H", 28) + chunk[4:] + struct.pack("!HHI", 7, 8, number)
    header = struct.pack("!HHI", source_port, port, tag)
    # Of all sums in the Internet only this one is little-endian.
    checksum = struct.pack("<I", crc32c(header + b"\0\0\0\0" + chunk))
    return header + checksum + chunk


def read_sctp(family, packet):
    """(kind, source port, port, number), or None for what is not one of ours."""
    packet = without_ip_header(family, packet)
    if len(packet) < 32 or packet[12] not in (INIT, INIT_ACK):
        return None
    source_port, port = struct.unpack_from("!HH", packet)
    return packet[12], source_port, port, struct.unpack_from("!I", packet, 16)[0]


def without_ip_header(family, packet):
    return packet[(packet[0] & 15) * 4 :] if family == 4 else packet


def internet_sum(packet):
    total = sum(struct.unpack(f"!{len(packet) // 2}H", packet))
    total = (total >> 16) + (total & 0xFFFF)
    return ~(total + (total >> 16)) & 0xFFFF


def crc32c(data):
    value = 0xFFFFFFFF
    for byte in data:
        value = CRC_TABLE[(value ^ byte) & 0xFF] ^ (value >> 8)
    return value ^ 0xFFFFFFFF


def crc_entry(value):
    for _ in range(8):
        value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)
    return value


CRC_TABLE = [crc_entry(value) for value in range(256)]
