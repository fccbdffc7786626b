/** The kinds with assertions: in files next to policies; of the two, only a Guarantee can be in a cluster. */
export const ownGroup = "tierwall.dev";
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

/** Our group, or one that was meant to be: without a version, or with another domain. */
export const isOwnGroup = (apiVersion: string): boolean =>
  apiVersion === "" || /^tierwall(?:[./]|$)/.test(apiVersion);
