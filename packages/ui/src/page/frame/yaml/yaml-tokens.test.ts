import { expect, test } from "vitest";
import { tokensOf } from "./yaml-tokens.js";

const short = { plain: "", key: "k", value: "v", comment: "c", punctuation: "p" } as const;
const written = (line: string) =>
  tokensOf(line)
    .filter(({ text }) => text.trim() !== "")
    .map(({ kind, text }) => `${short[kind]}‹${text.trim()}›`)
    .join(" ");

test.each([
  ["kind: NetworkPolicy", "k‹kind› p‹:› v‹NetworkPolicy›"],
  ["  - action: Deny # for now", "p‹-› k‹action› p‹:› v‹Deny› c‹# for now›"],
  ["# a: comment", "c‹# a: comment›"],
  ["- Ingress", "p‹-› v‹Ingress›"],
  ['    kubernetes.io/metadata.name: "a#b"', 'k‹kubernetes.io/metadata.name› p‹:› v‹"a#b"›'],
  ['  "k8s:app": scanner', 'k‹"k8s:app"› p‹:› v‹scanner›'],
  ["  url: http://a/b", "k‹url› p‹:› v‹http://a/b›"],
  ["from: []", "k‹from› p‹:› p‹[› p‹]›"],
  [
    "matchLabels: {app: web, tier: '1'}",
    "k‹matchLabels› p‹:› p‹{› k‹app› p‹:› v‹web› p‹,› k‹tier› p‹:› v‹'1'› p‹}›",
  ],
])("%s", (line, tokens) => expect(written(line)).toBe(tokens));

test.each(["", "  ", "---", "- - a: {b: [c, d]} # e", "key: |", '  "never: closed', "a: {b: 'c"])(
  "nothing of %j is lost",
  (line) =>
    expect(
      tokensOf(line)
        .map(({ text }) => text)
        .join(""),
    ).toBe(line),
);
