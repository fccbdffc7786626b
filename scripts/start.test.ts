import { describe, expect, it } from "vitest";
import { serveArguments } from "./start.mjs";

describe("npm start", () => {
  const serve = ["serve", "--example"];

  it.each([
    ["npm start", [], {}, []],
    ["npm start -- --port 8099", ["--port", "8099"], {}, ["--port", "8099"]],
    ["npm start --port 8099", ["8099"], { npm_config_port: "true" }, ["--port", "8099"]],
    ["npm start --port=8099", [], { npm_config_port: "8099" }, ["--port", "8099"]],
    [
      "npm start --port 8099 -- --open",
      ["8099", "--open"],
      { npm_config_port: "true" },
      ["--port", "8099", "--open"],
    ],
    ["npm start --port", [], { npm_config_port: "true" }, ["--port"]],
  ])("%s", (_line, args, env, expected) => {
    expect(serveArguments(args, env)).toEqual([...serve, ...expected]);
  });
});
