import { describe, expect, it } from "vitest";
import { intrusion } from "./guard.js";

/* Who may ask, by where a request comes from. */

const asked = (
  headers: Record<string, string>,
  method = "GET",
  options = { address: "127.0.0.1", hosts: [] as string[] },
) => intrusion(new Request("http://any/", { method, headers }), options)?.status ?? "answered";

describe("the name that was asked for", () => {
  it.each([
    ["localhost:8080", "127.0.0.1", "answered"],
    ["LOCALHOST", "127.0.0.1", "answered"],
    ["127.0.0.1:8080", "127.0.0.1", "answered"],
    ["127.9.9.9", "127.0.0.1", "answered"],
    ["[::1]:8080", "127.0.0.1", "answered"],
    ["attacker.example:8080", "127.0.0.1", 403],
    ["localhost.attacker.example", "127.0.0.1", 403],
    ["127.0.0.1.attacker.example", "127.0.0.1", 403],
    ["", "127.0.0.1", 403],
    ["192.168.1.5:8080", "127.0.0.1", 403],
    ["192.168.1.5:8080", "192.168.1.5", "answered"],
    ["192.168.1.6:8080", "192.168.1.5", 403],
    ["[fd00::5]:8080", "fd00::5", "answered"],
    // Bound to every address, any address may be ours; a name must still be given with --host.
    ["192.168.1.5:8080", "0.0.0.0", "answered"],
    ["[fd00::5]:8080", "::", "answered"],
    ["attacker.example:8080", "0.0.0.0", 403],
  ])("`%s`, bound to %s: %s", (host, address, outcome) => {
    expect(asked({ Host: host }, "GET", { address, hosts: [] })).toBe(outcome);
  });

  it("may be one that --host names", () => {
    const options = { address: "0.0.0.0", hosts: ["policies.example.com"] };
    expect(asked({ Host: "policies.example.com" }, "GET", options)).toBe("answered");
    expect(asked({ Host: "Policies.Example.com.:8443" }, "GET", options)).toBe("answered");
    expect(asked({ Host: "other.example.com" }, "GET", options)).toBe(403);
  });
});

describe("another site", () => {
  const host = { Host: "localhost:8080" };
  it.each([
    ["sends nothing", "POST", { Origin: "https://attacker.example" }, 403],
    ["sends nothing from another port", "POST", { Origin: "http://localhost:9090" }, 403],
    ["sends nothing without a name", "POST", { Origin: "null" }, 403],
    ["reads nothing", "GET", { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors" }, 403],
    [
      "reads nothing from another port",
      "GET",
      { "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors" },
      403,
    ],
    ["may link here", "GET", { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate" }, "answered"],
    ["may not send a form", "POST", { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate" }, 403],
  ])("%s", (_, method, headers, outcome) => {
    expect(asked({ ...host, ...headers }, method)).toBe(outcome);
  });

  it.each([
    ["the page itself", { Origin: "http://localhost:8080", "Sec-Fetch-Site": "same-origin" }],
    [
      "the page behind a proxy that speaks TLS",
      { Origin: "https://localhost:8080", "Sec-Fetch-Site": "same-origin" },
    ],
    ["a script", {}],
  ])("is not %s, which may send", (_, headers) => {
    expect(asked({ ...host, ...headers }, "POST")).toBe("answered");
  });
});
