import { expect, it } from "vitest";
import { type Address, parseAddress } from "./address.js";
import { embeddedAddress, isNeverNamed } from "./special-addresses.js";

const mapped = (text: string): Address => ({
  family: 6,
  value: (0xffffn << 32n) | parseAddress(text)!.value,
});

it.each([
  ["unspecified", "0.0.0.0"],
  ["this host", "0.1.2.3"],
  ["loopback", "127.0.0.1"],
  ["the rest of loopback", "127.255.255.254"],
  ["metadata", "169.254.169.254"],
  ["link-local", "169.254.0.1"],
  ["metadata of Alibaba Cloud", "100.100.100.200"],
  ["the platform service of Azure", "168.63.129.16"],
  ["multicast", "239.1.2.3"],
  ["broadcast", "255.255.255.255"],
  ["unspecified, IPv6", "::"],
  ["loopback, IPv6", "::1"],
  ["IPv4-compatible", "::10.0.0.1"],
  ["link-local, IPv6", "fe80::1"],
  ["the end of link-local, IPv6", "febf::1"],
  ["multicast, IPv6", "ff02::1"],
  ["metadata of AWS, IPv6", "fd00:ec2::254"],
  ["metadata of Google Cloud, IPv6", "fd20:ce::254"],
  ["metadata through a translator", "64:ff9b::169.254.169.254"],
  ["loopback through a translator", "64:ff9b::127.0.0.1"],
])("S8.3: no name resolves to %s (%s)", (_what, text) => {
  expect(isNeverNamed(parseAddress(text)!)).toBe(true);
});

it("S8.3: nor for any mapped address", () => {
  expect(isNeverNamed(mapped("203.0.113.7"))).toBe(true);
});

it.each(["203.0.113.7", "10.0.0.1", "168.63.129.17", "2001:db8::1", "64:ff9b::203.0.113.7", "fd00:ec2::253"])(
  "%s is an address like others",
  (text) => {
    expect(isNeverNamed(parseAddress(text)!)).toBe(false);
  },
);

it.each([
  ["through a translator", parseAddress("64:ff9b::10.0.0.1")!],
  ["mapped", mapped("10.0.0.1")],
])("an IPv4 address is found %s", (_what, address) => {
  expect(embeddedAddress(address)).toEqual(parseAddress("10.0.0.1"));
  expect(embeddedAddress(parseAddress("2001:db8::a00:1")!)).toBeUndefined();
});
