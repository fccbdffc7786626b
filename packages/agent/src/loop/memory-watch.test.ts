import { expect, it } from "vitest";
import { MemoryWatch } from "../command/run-agent.js";

it.each([
  ["nothing while it stays small", [100, 200, 249], []],
  ["once when it is too much", [100, 260, 270, 300], [260]],
  ["again when that has grown by half", [260, 380, 390, 400, 590], [260, 390, 590]],
])("memory: says %s", (_, megabytes, expected) => {
  const said: number[] = [];
  let now = 0;
  const watch = new MemoryWatch(
    (size) => said.push(size),
    () => now * 1024 * 1024,
  );
  for (now of megabytes) watch.check();
  expect(said).toEqual(expected);
});
