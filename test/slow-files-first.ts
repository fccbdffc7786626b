import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take minutes. One that starts last keeps a single core busy while the others are idle. */
const slowFiles = [
  "test/mutants/mutants.test.ts",
  "test/packets/differential.test.ts",
  "test/agent/under-traffic.test.ts",
  "test/packets/examples.test.ts",
  "test/packets/mutants.test.ts",
  "test/agent/agent.test.ts",
  "test/agent/agent-gone.test.ts",
  "test/cluster/controller-memory.test.ts",
  "test/cluster/live-cli.test.ts",
  "test/install/image.test.ts",
  "test/browser/big-waits.test.ts",
  "test/browser/playground-big.test.ts",
];

/** The files of `test/` come first; those of packages follow in one row, as only then a worker keeps what it has loaded. */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId, project }: TestSpecification): number => {
      const place = slowFiles.findIndex((file) => moduleId.endsWith(file));
      if (place !== -1) return place;
      return slowFiles.length + (project.config.isolate ? 0 : 1);
    };
    // oxlint-disable-next-line unicorn/no-array-sort -- a method of the sequencer, not of an array
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
