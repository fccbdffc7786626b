import { afterEach, expect, test, vi } from "vitest";
import { givenState } from "./given-state.js";

const state = {
  version: 1,
  title: "the shop",
  revision: "7",
  provenance: "file",
  sources: [
    { file: "a.yaml", text: "a" },
    { file: "b.yaml", text: "b" },
  ],
  options: { podCidrs: ["10.0.0.0/16"] },
};
const server = "http://127.0.0.1/api/v1/state";
const answers = (body: unknown, status = 200) =>
  vi.stubGlobal("fetch", async () => new Response(JSON.stringify(body), { status, statusText: "Odd" }));

afterEach(() => vi.unstubAllGlobals());

test("the server's state is taken as it is, with its options", async () => {
  answers(state);
  const { version: _version, ...given } = state;
  expect(await givenState({ server, files: [] })).toEqual(given);
});

test("an added file replaces one of the same name", async () => {
  answers(state);
  const { title, sources } = await givenState({ server, files: [{ file: "b.yaml", text: "mine" }] });
  expect(title).toBe("the shop + b.yaml");
  expect(sources.map(({ text }) => text)).toEqual(["a", "mine"]);
});

test("files alone need no server", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new Error("not asked")));
  const files = [
    { file: "a.yaml", text: "" },
    { file: "b.yaml", text: "" },
  ];
  expect((await givenState({ files })).title).toBe("2 files");
});

test.each([
  [
    "another version",
    { ...state, version: 2 },
    200,
    "the server speaks another version of Tierwall; load the page again",
  ],
  [
    "no sources",
    { ...state, sources: [{ file: "a.yaml" }] },
    200,
    "the server speaks another version of Tierwall; load the page again",
  ],
  ["an error", {}, 503, "the server answers with 503 Odd"],
])("%s is reported", async (_, body, status, message) => {
  answers(body, status);
  await expect(givenState({ server, files: [] })).rejects.toThrow(message);
});

test("so is a server that is gone", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("failed to fetch")));
  await expect(givenState({ server, files: [] })).rejects.toThrow(
    "the server does not answer; is `tierwall serve` still running?",
  );
});
