import { expect, test } from "vitest";
import { blockAt, objectAround } from "./lines.js";

const text = `# of the shop
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
spec:
  podSelector: {}
  policyTypes:
  - Ingress
  - Egress
  ingress:
    - from:
        # the same namespace
        - podSelector: {}

      ports: [{port: 80}]
    - {}
---
kind: List
items:
- kind: A
  spec: {}
- kind: B`.split("\n");

test.each([
  ["an object reaches to the next document, with the comment above it", 2, [1, 15]],
  ["an object in a list reaches to the next item", 19, [19, 20]],
  ["the last one reaches to the end", 21, [21, 21]],
] as const)("%s", (_, start, lines) => expect(objectAround(text, start)).toEqual(lines));

test.each([
  ["a field on one line", 5, [5, 5]],
  ["a field whose items stand as far left as its key", 6, [6, 8]],
  ["an item with comments and empty lines in it", 10, [10, 14]],
  ["the item after it", 15, [15, 15]],
] as const)("%s", (_, start, lines) => expect(blockAt(text, start)).toEqual(lines));
