import { execFileSync } from "node:child_process";
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { addressesOf, apiServer, firstService } from "./subnets.js";

/** The clients of the API server, with their user and groups. */
const users = {
  admin: ["kubernetes-admin", "system:masters"],
  "kube-controller-manager": ["system:kube-controller-manager", ""],
  "kube-scheduler": ["system:kube-scheduler", ""],
  "kube-proxy": ["system:kube-proxy", ""],
  node1: ["system:node:node1", "system:nodes"],
  node2: ["system:node:node2", "system:nodes"],
} as const;

export type User = keyof typeof users;

/** A certificate for the API server that is its own authority, keys for service accounts, and a token for all other clients. */
export class Credentials {
  constructor(private readonly folder: string) {
    const names = ["kubernetes", "kubernetes.default", "kubernetes.default.svc"].map((name) => `DNS:${name}`);
    const addresses = [addressesOf("control-plane")[0], firstService].map((address) => `IP:${address}`);
    execFileSync(
      "openssl",
      ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
        .concat(["-subj", "/CN=kubernetes", "-addext", `subjectAltName=${[...names, ...addresses].join()}`])
        .concat(["-keyout", this.key, "-out", this.certificate]),
      { stdio: "pipe" },
    );
    const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    writeFileSync(this.accountKey, privateKey.export({ type: "pkcs8", format: "pem" }));
    writeFileSync(this.accountPublicKey, publicKey.export({ type: "spki", format: "pem" }));
    const lines = (Object.keys(users) as User[]).map((user) => this.tokenLine(user));
    writeFileSync(this.tokens, lines.join(""));
  }

  get certificate(): string {
    return this.path("server.crt");
  }

  get key(): string {
    return this.path("server.key");
  }

  get accountKey(): string {
    return this.path("accounts.key");
  }

  get accountPublicKey(): string {
    return this.path("accounts.pub");
  }

  get tokens(): string {
    return this.path("tokens.csv");
  }

  kubeconfigOf(user: User): string {
    return this.path(`${user}.kubeconfig`);
  }

  private tokenLine(user: User): string {
    const [[name, groups], token] = [users[user], randomUUID()];
    const config = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [
        { name: "whole", cluster: { server: apiServer, "certificate-authority": this.certificate } },
      ],
      users: [{ name, user: { token } }],
      contexts: [{ name: "whole", context: { cluster: "whole", user: name } }],
      "current-context": "whole",
    };
    writeFileSync(this.kubeconfigOf(user), JSON.stringify(config));
    return `${token},${name},${user},"${groups}"\n`;
  }

  private path(name: string): string {
    return join(this.folder, name);
  }
}
