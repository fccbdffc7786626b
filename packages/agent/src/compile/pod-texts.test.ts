import type { Pod } from "@tierwall/core/model";
import { expect, it } from "vitest";
import { PodTexts } from "./pod-texts.js";
import { noWords } from "./words.js";

const pod: Pod = {
  name: "web-1",
  namespace: "shop",
  labels: { app: "web", "app-tier": "front", "pod-template-hash": "5f6" },
  addresses: [],
  hostAddresses: [],
  hostNetwork: false,
  ports: [
    { name: "http", protocol: "TCP", port: 8080 },
    { name: "metrics", protocol: "TCP", port: 9090 },
  ],
  serviceAccount: "seller",
};

it.each([
  ["only its namespace", noWords, "shop"],
  [
    "labels that rules ask for, in one order",
    { ...noWords, podKeys: new Set(["app-tier", "app"]) },
    "shop app=web app-tier=front",
  ],
  [
    "no label that it does not have",
    { ...noWords, podKeys: new Set(["role", "constructor", "__proto__"]) },
    "shop",
  ],
  ["ports that rules name", { ...noWords, portNames: new Set(["http"]) }, "shop ports http:TCP:8080"],
  ["its account, if rules ask for any", { ...noWords, accounts: true }, "shop account seller"],
])("of a pod, rules look at %s", (_, words, text) => {
  expect(new PodTexts(words).of(pod)).toBe(text);
});
