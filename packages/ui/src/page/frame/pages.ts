import { type ComponentType, lazy } from "react";

/** A page, and how it is got: each in a file of its own, when it is first looked at. */
export interface Page {
  readonly name: string;
  readonly title: string;
  readonly Content: ComponentType;
}

export const pages: readonly Page[] = [
  {
    name: "explain",
    title: "Explain",
    Content: lazy(async () => ({ default: (await import("../explain/explain-page.js")).ExplainPage })),
  },
  {
    name: "map",
    title: "Map",
    Content: lazy(async () => ({ default: (await import("../map/map-page.js")).MapPage })),
  },
  {
    name: "matrix",
    title: "Matrix",
    Content: lazy(async () => ({ default: (await import("../matrix/matrix-page.js")).MatrixPage })),
  },
  {
    name: "policies",
    title: "Policies",
    Content: lazy(async () => ({ default: (await import("../policies/policies-page.js")).PoliciesPage })),
  },
  {
    name: "playground",
    title: "Playground",
    Content: lazy(async () => ({
      default: (await import("../playground/playground-page.js")).PlaygroundPage,
    })),
  },
];
