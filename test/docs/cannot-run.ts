/** Documented lines that no test runs as they are printed, and why. All others are run. */
export const cannotRun: readonly {
  readonly lines: RegExp;
  /** The only page that is meant. */
  readonly page?: string;
  readonly reason: string;
}[] = [
  {
    lines: /^npm install |^kubectl tierwall |^source <\(tierwall /,
    page: "README.md",
    reason: "the section about releases: needs packages that are published",
  },
  {
    lines: /^npm install --global tierwall\.$/,
    page: "docs/reference/cli/completion.md",
    reason: "a sentence about releases",
  },
  {
    lines: /^docker build /,
    reason:
      "needs a container runtime, and base images from a registry; test/install/image.test.ts does what the build does",
  },
  {
    lines: /^kind (?:create|load) /,
    reason:
      "needs a container runtime; `npm run test:whole-cluster` installs Tierwall in a cluster with kubelets",
  },
  {
    lines: /^apt-get install /,
    reason: "changes the machine that runs the tests; .ci/run installs these packages",
  },
  { lines: /^npm run test:oracles /, reason: "needs Go, and takes minutes" },
  {
    lines: /^helm (?:install|upgrade|uninstall) /,
    reason:
      "instead of `kubectl apply`, in another cluster: test/cluster/uninstall.test.ts installs and removes the chart",
  },
  {
    lines: /^kubectl -n tierwall-system (?:logs|port-forward|wait) /,
    reason: "needs kubelets that run pods: `npm run test:whole-cluster` has them",
  },
  {
    lines: /kubectl delete (?:--ignore-not-found )?-f /,
    reason:
      "waits for the controller that removes namespaces: test/cluster/uninstall.test.ts takes its place",
  },
  {
    lines: /^tierwall cleanup /,
    reason: "waits for pods of a DaemonSet on each node: test/cluster/uninstall.test.ts reports them",
  },
  {
    lines: /--set monitoring\.enabled=true .*\| kubectl apply/,
    reason: "needs the definitions of the Prometheus operator",
  },
  {
    lines: /^kubectl create -f deploy\/crds\/kep-2091\//,
    reason:
      "instead of the released AdminNetworkPolicy: test/cluster/kep-2091.test.ts has a cluster without that",
  },
  {
    lines: /^kubectl (?:apply -f - <<EOF|get guarantees|delete clusternetworkpolicy pci-guardrail)$/,
    reason: "shows a session with a webhook: test/cluster/guarantees.test.ts has one",
  },
  {
    lines: /^kubectl (?:describe clusternetworkpolicy|wait --for=condition=Programmed) /,
    reason:
      "shows what the controller and agents report: test/cluster/controller-programmed.test.ts has them",
  },
];
