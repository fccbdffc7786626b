import type { Pod } from "@tierwall/core/model";
import { expect, it } from "vitest";
import { emptyVocabulary, PodTexts } from "./peer-vocabulary.js";

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

const keys = (...all: readonly string[]) => new Map(all.map((key, i) => [key, i]));

it.each([
  ["only its namespace", emptyVocabulary, "shop"],
  [
    "labels that rules ask for, in one order",
    { ...emptyVocabulary, podKeys: keys("app-tier", "app") },
    "shop app=web app-tier=front",
  ],
  [
    "no label that it does not have",
    { ...emptyVocabulary, podKeys: keys("role", "constructor", "__proto__") },
    "shop",
  ],
  ["ports that rules name", { ...emptyVocabulary, portNames: new Set(["http"]) }, "shop ports http:TCP:8080"],
  ["its account, if rules ask for any", { ...emptyVocabulary, accounts: true }, "shop account seller"],
])("of a pod, rules look at %s", (_, vocabulary, text) => {
  expect(new PodTexts(vocabulary).of(pod)).toBe(text);
});
