import { type ComponentType, lazy } from "react";
import { ExplainPage } from "../explain/explain-page.js";

/** A page, and how it is loaded. */
export interface Page {
  readonly name: string;
  readonly title: string;
  /** Has the browser load it before there is anything to show on it. */
  readonly prepare: () => void;
  readonly Content: ComponentType;
}

/** The first is loaded from the start; the others are in files of their own, loaded when they are first opened. */
export const pages: readonly Page[] = [
  { name: "explain", title: "Explain", prepare: () => undefined, Content: ExplainPage },
  page("map", "Map", async () => (await import("../map/map-page.js")).MapPage),
  page("matrix", "Matrix", async () => (await import("../matrix/matrix-page.js")).MatrixPage),
  page("policies", "Policies", async () => (await import("../policies/policies-page.js")).PoliciesPage),
  page(
    "guarantees",
    "Guarantees",
    async () => (await import("../guarantees/guarantees-page.js")).GuaranteesPage,
  ),
  page(
    "playground",
    "Playground",
    async () => (await import("../playground/playground-page.js")).PlaygroundPage,
  ),
];

function page(name: string, title: string, load: () => Promise<ComponentType>): Page {
  return {
    name,
    title,
    // What fails here fails again, and is reported, when the page is shown.
    prepare: () => void load().catch(() => undefined),
    Content: lazy(async () => ({ default: await load() })),
  };
}
