import { expect, it } from "vitest";
import { moduleOf } from "./kube-binaries.mjs";

it("requires what Kubernetes requires, with its staging modules as they were published", () => {
  const text = `module k8s.io/kubernetes

go 1.25.0

require github.com/blang/semver/v4 v4.0.0

replace (
	k8s.io/api => ./staging/src/k8s.io/api
	k8s.io/client-go => ./staging/src/k8s.io/client-go
)
`;
  expect(moduleOf(text)).toMatch(/^module tierwall\.dev\/kube-binaries\n\ngo 1\.25\.0\n/);
  expect(moduleOf(text)).toMatch(
    /\tk8s\.io\/api => k8s\.io\/api v0\.(\d+\.\d+)\n\tk8s\.io\/client-go => .* v0\.\1\n/,
  );
  expect(moduleOf(text)).toMatch(/\nrequire k8s\.io\/kubernetes v1\.\d+\.\d+\n$/);
});
