import { mergeConfig } from "vitest/config";
import usual from "../../vitest.config.js";

// One cluster, one test after the other: the usual settings, except for the files.
const { projects: _, ...test } = usual.test ?? {};

export default mergeConfig(
  { ...usual, test },
  { test: { include: ["test/whole-cluster/*.test.ts"], root: new URL("../..", import.meta.url).pathname } },
);
