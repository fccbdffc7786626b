import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { folderOf, removeFolders, tierwall } from "../../testing/run-command.js";

/* docs/how-to/configuration.md, executed. */

afterAll(removeFolders);

const page = readFileSync(new URL("../../../../docs/how-to/configuration.md", import.meta.url), "utf8");
const [example, mistaken] = [...page.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, yaml]) => yaml!);
const output = /^```text\n(.*?)^```/ms.exec(page)![1]!;
const pod = (name: string) => {
  const [namespace, own] = name.split("/");
  return `{apiVersion: v1, kind: Pod, metadata: {namespace: ${namespace}, name: ${own}}}\n`;
};

describe("docs/how-to/configuration.md", () => {
  it("its example makes a question short, in any folder of the repository", () => {
    const cwd = folderOf({
      ".git/HEAD": "",
      "tierwall.yaml": example!,
      "dns.yaml": "{example.com: [192.0.2.1]}",
      "cluster/deep/pods.yaml": `${pod("shop/cart")}---\n${pod("payments/api")}`,
      "policies/none.yaml": "",
      "elsewhere/x": "",
    });
    const [, question] = /`tierwall (explain [^`]*)` is the whole question/.exec(page)!;
    const { status, stdout, stderr } = tierwall(question!.split(" "), { cwd: `${cwd}/elsewhere` });
    expect([status, stderr]).toEqual([0, expect.stringContaining("defaults from ../tierwall.yaml")]);
    expect(stdout).toContain("shop/cart → payments/api:8443/TCP");
    expect(JSON.parse(tierwall(["validate"], { cwd }).stdout)).toMatchObject({ pods: 2, errors: 0 });
  });

  it("its mistakes yield what it shows", () => {
    const { status, stdout, stderr } = tierwall(["validate"], {
      cwd: folderOf({ "tierwall.yaml": mistaken! }),
    });
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toBe(output);
  });
});
