/** The kinds with assertions. They are in files next to policies, and not part of any cluster. */
export const connectivityTestKind = { apiVersion: "tierwall.dev/v1", kind: "ConnectivityTest" } as const;
export const guaranteeKind = { apiVersion: "tierwall.dev/v1", kind: "Guarantee" } as const;

export const isTestKind = ({
  apiVersion,
  kind,
}: {
  readonly apiVersion: string;
  readonly kind: string;
}): boolean =>
  [connectivityTestKind, guaranteeKind].some((each) => each.apiVersion === apiVersion && each.kind === kind);
