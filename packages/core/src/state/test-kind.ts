/** The kinds that say what must hold. They lie beside policies, and are no part of any cluster. */
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
