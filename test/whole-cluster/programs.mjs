/** What a cluster is made of, as scripts/kube-binaries.mjs knows it; and Helm. */
export const programs = [
  "etcd",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kubelet",
  "kube-proxy",
  "helm",
];
