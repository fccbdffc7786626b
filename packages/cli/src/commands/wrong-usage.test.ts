import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { folderOf, removeFolders, tierwall } from "../../testing/run-command.js";

/* Wrong usage gets the right help: what a newcomer types, the exit status, and what the answer must contain. */

afterAll(removeFolders);

const pod = "{apiVersion: v1, kind: Pod, metadata: {name: cart, namespace: shop}}\n";
const template = `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "shop.fullname" . }}
spec:
  {{- if .Values.closed }}
  podSelector: {}
  {{- end }}
`;
const folder = folderOf({
  "cluster/cluster.yaml": `${pod}---
apiVersion: v1
kind: Pod
metadata: {name: api, namespace: payments, labels: {app: api}}
spec: {containers: [{name: c, ports: [{name: https, containerPort: 8443}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: front, namespace: payments}
spec: {clusterIP: 10.96.0.1, selector: {app: api}, ports: [{port: 443, targetPort: https}]}
`,
  "chart/Chart.yaml": "name: shop\nversion: 0.1.0\n",
  "chart/templates/a.yaml": template,
  "chart/templates/b.yaml": template,
  "one-template/a.yaml": template.replace(/ {2}\{\{-.*\n/g, ""),
  "kustomize/kustomization.yaml": "resources: [pod.yaml]\nnamePrefix: dev-\n",
  "kustomize/pod.yaml": pod,
  "secrets/pod.yaml": pod,
  "secrets/secret.yaml":
    "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: shop}, data: {password: aHVudGVyMg==}}\n",
  "latin1/pod.yaml": "# Stra",
});
mkdirSync(join(folder, "empty"));
appendFileSync(join(folder, "latin1/pod.yaml"), Buffer.from([0xdf, 0x65, 0x0a]));

const files = ["-f", "cluster"];

describe("wrong usage gets the right help", () => {
  it.each([
    [
      "an unknown flag near a known one",
      ["explain", ...files, "--form", "shop/cart"],
      2,
      ["unknown option '--form'", "Did you mean --from?"],
    ],
    [
      "a host name",
      ["explain", ...files, "shop/cart", "example.com:443"],
      2,
      ["`example.com` is a host name, and policies match addresses; write an IP address that it resolves to"],
    ],
    [
      "a host name without a port",
      ["explain", ...files, "shop/cart", "example.com"],
      2,
      ["`example.com` is a host name"],
    ],
    [
      "the DNS name of a Service",
      ["explain", ...files, "shop/cart", "front.payments.svc.cluster.local:443"],
      2,
      ["is the DNS name of a Service; write `payments/Service/front`"],
    ],
    [
      "an invalid address",
      ["explain", ...files, "shop/cart", "300.1.2.3"],
      2,
      ["`300.1.2.3` is not a valid IP address: 300 is more than 255"],
    ],
    [
      "the port of a Service, asked of its pod",
      ["explain", ...files, "shop/cart", "payments/api:443"],
      0,
      [
        "Port 443 is a port of Service payments/front, which leads to port 8443",
        "`payments/api:8443`",
        "`payments/Service/front:443`",
      ],
    ],
    [
      "the port of a pod, asked of its Service",
      ["explain", ...files, "shop/cart", "payments/Service/front:8443"],
      2,
      ["it has 443/TCP", "use port 443 of the Service"],
    ],
    [
      "--context without a kubeconfig",
      ["explain", "--context", "prod", "shop/cart", "payments/api"],
      2,
      [
        "it does not exist, and a kubeconfig is where context `prod` is looked up",
        "-f FILE reads manifests instead",
      ],
    ],
    [
      "--context with files",
      ["explain", ...files, "--context", "prod", "shop/cart", "payments/api"],
      0,
      ["--context has no effect with -f"],
    ],
    [
      "empty standard input",
      ["validate", "-f", "-"],
      2,
      ["standard input is empty", "Check the command before the pipe"],
    ],
    [
      "an empty folder",
      ["validate", "-f", "empty"],
      2,
      ["`empty` cannot be read: it holds no manifests (.yaml, .yml, .json"],
    ],
    [
      "a Helm chart",
      ["validate", "-f", "chart", "-R"],
      1,
      [
        "this is a Helm template, not a manifest, and so is 1 other file; render it first",
        "`helm template NAME CHART | tierwall validate -f -`",
        "1 error, 1 note in 1 of 3 files",
      ],
    ],
    [
      "a Helm template that is YAML by chance",
      ["validate", "-f", "one-template"],
      1,
      ["this is a Helm template, not a manifest; render it first", "1 error in 1 of 1 file"],
    ],
    [
      "text that is not UTF-8",
      ["validate", "-f", "latin1"],
      2,
      ["is not text: it is not encoded in UTF-8", "Save it as UTF-8"],
    ],
    [
      "a kustomization",
      ["explain", "-f", "kustomize", "shop/cart", "192.0.2.1"],
      0,
      [
        "`kustomize/kustomization.yaml` is not applied",
        "`kubectl kustomize kustomize | tierwall validate -f -`",
      ],
    ],
    [
      "a folder without tests",
      ["test", "cluster"],
      2,
      ["no ConnectivityTest in `cluster`; -R searches subfolders", "`tierwall init` writes a first one"],
    ],
    [
      "no kubeconfig and no files",
      ["matrix"],
      2,
      ["Without -f, the cluster of a kubectl context is read", "Nothing was evaluated"],
    ],
    [
      "Secrets in the folder",
      ["validate", "-f", "secrets"],
      0,
      ["1 Secret", "Secrets are neither used nor shown"],
    ],
  ])("%s", (_what, args, expected, messages) => {
    const { status, stdout, stderr } = tierwall(args, { cwd: folder });
    // Lines are wrapped: a message may go on in the next.
    const said = `${stdout}\n${stderr}`.replace(/\s+/g, " ");
    for (const message of messages) expect(said).toContain(message);
    expect(said).not.toContain("aHVudGVyMg");
    expect(status).toBe(expected);
  });
});
