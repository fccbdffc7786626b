import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { tierwall } from "../../testing/run-command.js";

const cwd = fileURLToPath(new URL("../../../../examples/draft-precedence-scenario", import.meta.url));
const lookup = (...args: readonly string[]) => tierwall(["lookup", "-f", ".", ...args], { cwd });

describe("tierwall lookup", () => {
  it("answers on stdout, and talks on stderr", () => {
    const { status, stdout, stderr } = lookup("x/server");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^x\/server\n\n {2}5 rules apply to it; 1 never decides anything\n/);
    expect(stderr).not.toContain("rules");
  });

  it("-o json is data", () => {
    const { status, stdout } = lookup("x/server", "-o", "json");
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ kind: "Lookup", of: "x/server", answers: [{}] });
  });

  it.each([
    ["a pod that is not there", ["x/servr"], "did you mean `x/server`?"],
    ["text that is not an endpoint", ["server"], "write `NAMESPACE/POD`"],
    ["a range", ["10.0.0.0/8"], "use one of its addresses"],
    ["nothing", [], "missing required argument 'endpoint'"],
    ["a format that there is not", ["x/server", "-o", "xml"], "Allowed choices are text, json"],
  ])("%s is status 2, with what to do", (_, args, message) => {
    const { status, stdout, stderr } = lookup(...args);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  });
});
