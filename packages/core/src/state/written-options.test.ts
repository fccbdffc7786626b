import { expect, it } from "vitest";
import { parseAddress } from "../net/address.js";
import { parseCidr } from "../net/cidr.js";
import type { StateOptions } from "./state.js";
import { readOptions, writtenOptions } from "./written-options.js";

const all: Required<Omit<StateOptions, "progress">> = {
  facts: {
    podCidrs: [parseCidr("10.244.0.0/16")!, parseCidr("fd00:10::/56")!],
    serviceCidrs: [parseCidr("10.96.0.0/12")!],
    apiServer: [parseAddress("192.168.0.1")!, parseAddress("fd00::1")!],
    dns: [{ name: "example.com", addresses: [parseAddress("203.0.113.1")!] }],
  },
  provenance: "cluster",
  ciliumEnforcement: "always",
  enforcer: "cilium",
  ignoreApis: ["security.istio.io"],
  ciliumClusterName: "east",
  ciliumLabels: ["k8s:app", "!team"],
  keepGoing: true,
};

it.each([
  ["all options", all],
  ["none", { facts: {} }],
])("%s are the same once they were JSON", (_, options) => {
  expect(readOptions(JSON.parse(JSON.stringify(writtenOptions(options))) as object)).toEqual(options);
});

it.each([
  [{ podCidrs: ["10.0.0.0/33"] }, "`10.0.0.0/33` is not a CIDR"],
  [{ apiServer: ["nowhere"] }, "`nowhere` is not an IP address"],
])("%j is rejected", (written, message) => {
  expect(() => readOptions(written)).toThrow(message);
});
