import { type Matrix, matrixOf } from "../src/analysis/matrix/matrix.js";
import type { MatrixQuestion } from "../src/analysis/matrix/question.js";
import type { StateOptions } from "../src/state/state.js";
import { compile, type Engine } from "../src/engine/index.js";
import { world } from "./world.js";

export const everything: MatrixQuestion = {
  by: "workload",
  from: [],
  to: [],
  namespaces: [],
  labels: [],
  ports: [],
  undecided: "show",
};

/** The matrix of a small cluster. */
export function matrixIn(
  yaml: string,
  question: Partial<MatrixQuestion> = {},
  options: StateOptions = {},
): { readonly engine: Engine; readonly matrix: Matrix } {
  const { state } = world(yaml, options);
  const engine = compile(state.cluster, state.tiers);
  const made = matrixOf(engine, { ...everything, ...question });
  if (!made.ok) throw new Error(`${made.diagnostic.code} ${made.diagnostic.message}`);
  return { engine, matrix: made.value };
}

/** A shop and its payments: two replicas of web, an API behind a policy, and a job that is only a template. */
export const shopYaml = `
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {team: a}}
---
apiVersion: v1
kind: Namespace
metadata: {name: payments}
---
apiVersion: v1
kind: Pod
metadata: {name: web-1, namespace: shop, labels: {app: web, version: v1}, ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: web, controller: true}]}
spec: {nodeName: worker-1}
status: {podIP: 10.0.0.1}
---
apiVersion: v1
kind: Pod
metadata: {name: web-2, namespace: shop, labels: {app: web, version: v2}, ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: web, controller: true}]}
spec: {nodeName: worker-1}
status: {podIP: 10.0.0.2}
---
apiVersion: v1
kind: Pod
metadata: {name: api, namespace: payments, labels: {app: api}}
spec: {nodeName: worker-1}
status: {podIP: 10.0.0.3}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: ledger, namespace: payments}
spec: {template: {metadata: {labels: {app: ledger}}}}
---
apiVersion: v1
kind: Node
metadata: {name: worker-1}
status: {addresses: [{type: InternalIP, address: 192.168.0.1}]}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: only-v1, namespace: payments}
spec:
  podSelector: {matchLabels: {app: api}}
  ingress:
  - from: [{namespaceSelector: {matchLabels: {team: a}}}]
    ports: [{port: 443}]
  - from: [{namespaceSelector: {matchLabels: {team: a}}, podSelector: {matchLabels: {version: v1}}}]
    ports: [{port: 9000}]
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: closed, namespace: payments}
spec:
  podSelector: {}
  policyTypes: [Egress]
  egress:
  - to: [{ipBlock: {cidr: 203.0.113.0/24, except: [203.0.113.8/32]}}]
    ports: [{port: 443}]
`;
