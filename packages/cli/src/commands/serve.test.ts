import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { folderOf, removeFolders, tierwall } from "../../testing/run-command.js";
import { RunningCommand } from "../../testing/running-command.js";

const pod = `
apiVersion: v1
kind: Pod
metadata: {name: cart, namespace: shop}
spec: {containers: [{name: c}]}
`;
const address = /(http:\/\/\S+:(\d+)\/) {2}(.*)\n/;

describe("tierwall serve", () => {
  afterAll(removeFolders);

  it("prints where the page is, follows the files, and ends by Ctrl+C", async () => {
    const folder = folderOf({ "a.yaml": pod });
    const command = new RunningCommand(["serve", "-f", folder, "--port", "0"]);
    const [, url, , title] = await command.says(address);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
    expect(title).toBe(folder);
    expect(command.output).not.toContain("token");
    const state = async () => (await (await fetch(`${url}api/v1/state`)).json()) as { revision: string };
    const { revision } = await state();
    expect((await fetch(url!)).headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    writeFileSync(join(folder, "b.yaml"), pod.replace("cart", "web"));
    while ((await state()).revision === revision);
    // An open event stream does not keep it from ending.
    expect((await fetch(`${url}api/v1/events`)).status).toBe(200);
    expect(await command.stop("SIGINT")).toBe(0);
  });

  it("shows an example cluster of six APIs, which has no errors", async () => {
    const command = new RunningCommand(["serve", "--example", "--port", "0"]);
    const [, url, , title] = await command.says(address);
    expect(title).toBe("Example cluster");
    const summary = (await (await fetch(`${url}api/v1/summary`)).json()) as {
      usable: boolean;
      policies: { group: string; version: string; kind: string }[];
    };
    expect(summary.usable).toBe(true);
    expect(new Set(summary.policies.map(({ group, version }) => `${group}/${version}`))).toEqual(
      new Set([
        "networking.k8s.io/v1",
        "policy.networking.k8s.io/v1alpha2",
        // Both the released shape and that of the KEP.
        "policy.networking.k8s.io/v1alpha1",
        "netpol.networking.k8s.io/v1alpha1",
        "cilium.io/v2",
      ]),
    );
    expect(await command.stop("SIGTERM")).toBe(0);
  });

  it("makes a token where others can reach it, and prints it", async () => {
    const folder = folderOf({ "a.yaml": pod });
    const command = new RunningCommand(["serve", "-f", folder, "--port", "0", "--address", "0.0.0.0"]);
    const [, , port] = await command.says(address);
    const [, token] = await command.says(/^token: (\S+)$/m);
    const state = `http://127.0.0.1:${port}/api/v1/state`;
    expect((await fetch(state)).status).toBe(401);
    expect((await fetch(state, { headers: { Authorization: `Bearer ${token}` } })).status).toBe(200);
    expect(await command.stop()).toBe(0);
  });

  it("takes a token from a file, and does not print it", async () => {
    const folder = folderOf({ "a.yaml": pod, token: "0123456789abcdef\n" });
    const tokenFile = join(folder, "token");
    const command = new RunningCommand(["serve", "-f", folder, "--port", "0", "--token-file", tokenFile]);
    const [, url] = await command.says(address);
    expect(command.output).not.toContain("0123456789abcdef");
    expect((await fetch(`${url}api/v1/state`)).status).toBe(401);
    const headers = { Authorization: "Bearer 0123456789abcdef" };
    expect((await fetch(`${url}api/v1/state`, { headers })).status).toBe(200);
    await command.stop();
  });

  it("says that a port is taken", async () => {
    const folder = folderOf({ "a.yaml": pod });
    const command = new RunningCommand(["serve", "-f", folder, "--port", "0"]);
    const [, , port] = await command.says(address);
    expect(tierwall(["serve", "-f", folder, "--port", port!])).toEqual({
      status: 2,
      stdout: "",
      stderr: `port ${port} of 127.0.0.1 is taken; choose another with --port, or any that is free with --port 0\n`,
    });
    await command.stop();
  });

  it("uses the next free port, and reports it, when the default port is in use and none is given", async () => {
    const folder = folderOf({ "a.yaml": pod });
    // Whichever of the two gets 8080, unless it is taken already; then both go on to others.
    const commands = [
      new RunningCommand(["serve", "-f", folder]),
      new RunningCommand(["serve", "-f", folder]),
    ];
    const ports = await Promise.all(commands.map(async (one) => Number((await one.says(address))[2])));
    expect(new Set(ports).size).toBe(2);
    for (const [i, port] of ports.entries())
      expect(commands[i]!.output.includes(`Port 8080 is in use; using port ${port} instead.\n`)).toBe(
        port !== 8080,
      );
    for (const command of commands) await command.stop();
  });

  it.each([
    [["-f", "no/such/folder"], "`no/such/folder` cannot be read: it does not exist"],
    [["-f", "-"], "standard input cannot be watched; save it to a file"],
    [["--port", "65536"], "It is a number from 0 to 65535."],
    [["--token-file", "no-such-file"], "`no-such-file` cannot be read"],
    [[], "-f FILE reads manifests instead"],
  ])("serve %j is refused", (args, message) => {
    const { status, stdout, stderr } = tierwall(["serve", ...args]);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr.replaceAll(/\s+/g, " ")).toContain(message);
  });

  it("refuses a token that can be guessed", () => {
    const folder = folderOf({ token: "secret" });
    const { status, stderr } = tierwall(["serve", "--example", "--token-file", join(folder, "token")]);
    expect([status, stderr]).toEqual([2, expect.stringContaining("at least 16 characters without spaces")]);
  });
});
