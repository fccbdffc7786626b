/** The kind that holds assertions; it lies beside policies, and is no part of any cluster. */
export const connectivityTestKind = { apiVersion: "tierwall.dev/v1", kind: "ConnectivityTest" } as const;
