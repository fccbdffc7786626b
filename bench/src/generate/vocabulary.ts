/*
 * The words that generated clusters are made of. Their number is fixed: a larger cluster says the same things more often,
 * as real ones do.
 */

export const teams = [
  ..."atlas billing catalog checkout data delivery fraud growth identity insight ledger loyalty".split(" "),
  ..."media mobile orders partner platform pricing risk search security stock support travel".split(" "),
] as const;

export const products =
  "archive booking cart claims console events feed gateway inbox mail market offers portal profile quotes tickets".split(
    " ",
  );

export const environments = ["prod", "staging", "test", "dev"] as const;

const things =
  "account address audit basket campaign card coupon customer document forecast invoice item journal limit map message".split(
    " ",
  );

/** What a workload is for, its layer, and the ports on which it listens. */
export interface Role {
  readonly component: string;
  readonly tier: "frontend" | "backend" | "data";
  readonly kind: "Deployment" | "StatefulSet";
  readonly ports: readonly { readonly name: string; readonly port: number }[];
}

const metrics = { name: "metrics", port: 9090 };

const role = (component: string, tier: Role["tier"], kind: Role["kind"], ...ports: Role["ports"]): Role => ({
  component,
  tier,
  kind,
  ports: [...ports, metrics],
});

export const roles: readonly Role[] = [
  role("web", "frontend", "Deployment", { name: "http", port: 8080 }, { name: "https", port: 8443 }),
  role("api", "backend", "Deployment", { name: "http", port: 8080 }),
  role("rpc", "backend", "Deployment", { name: "grpc", port: 50051 }),
  role("worker", "backend", "Deployment"),
  role("batch", "backend", "Deployment", { name: "http", port: 8000 }),
  role("cache", "data", "StatefulSet", { name: "redis", port: 6379 }),
  role("db", "data", "StatefulSet", { name: "postgres", port: 5432 }),
  role("queue", "data", "StatefulSet", { name: "amqp", port: 5672 }),
];

/** Every `app` label there is, with the role of its workload. */
export const apps: readonly { readonly name: string; readonly role: Role }[] = things.flatMap((thing) =>
  roles.map((role) => ({ name: `${thing}-${role.component}`, role })),
);

/** Single ports that rules name; what workloads listen on, and what people open for good measure. */
export const usualPorts = [
  80, 443, 3306, 5432, 5672, 6379, 8000, 8080, 8443, 9000, 9090, 9200, 27017, 50051,
] as const;

export const usualRanges = [
  [8000, 8099],
  [8080, 8090],
  [9000, 9100],
  [30000, 32767],
  [50000, 50100],
] as const;

export const namedPorts = ["http", "https", "grpc", "metrics", "postgres", "redis", "amqp"] as const;

/** Ranges outside the cluster: offices, data centres, partners (RFC 1918 and the documentation blocks). */
export const outsideRanges = [
  "172.16.0.0/12",
  "172.20.0.0/16",
  "172.20.40.0/22",
  "192.168.0.0/16",
  "192.168.10.0/24",
  "192.0.2.0/24",
  "198.51.100.0/24",
  "198.51.100.128/25",
  "203.0.113.0/24",
  "203.0.113.64/26",
] as const;
