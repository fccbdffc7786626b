import { parseAddress } from "../net/address.js";
import { cidr, portName } from "../schema/formats.js";
import * as schema from "../schema/schema.js";
import { type Fields, type Format, list, object, type ObjectSchema } from "../schema/schema.js";

/*
 * The parts of Kubernetes' own objects that affect verdicts. Their other fields are not checked; but a
 * part that is read must be valid, and a misspelled name must not make it disappear (S10.3).
 */

/** These are in no reference page: Kubernetes documents the fields. */
const description = "As far as network policy looks at it.";

const open = <F extends Fields>(title: string, fields: F): ObjectSchema<F> => ({
  ...object(title, description, fields),
  open: true,
});
const part = <F extends Fields>(title: string, fields: F) => open(title, fields);
const parts = <F extends Fields>(title: string, fields: F) => list(description, open(title, fields));

const ipAddress: Format = {
  name: "ip-address",
  check: (text) =>
    text === "" || text === "None" || parseAddress(text) !== undefined
      ? []
      : [{ code: "TW1309", message: `\`${text}\` is not an IP address` }],
};

const anything = schema.any(description);
const text = schema.string(description);
const texts = list(description, schema.string(description));
const address = schema.string(description, { format: ipAddress });
const addresses = list(description, schema.string(description, { format: ipAddress }));
const protocol = schema.oneOf(description, ["TCP", "UDP", "SCTP"]);
const ports = { minimum: 1, maximum: 65535 };
const port = schema.integer(description, ports);

const metadata = part("metadata", {
  name: anything,
  namespace: anything,
  labels: anything,
  annotations: anything,
  ownerReferences: parts("an owner reference", {}),
});

const containers = (title: string) =>
  parts(title, {
    ports: parts("a container port", {
      name: schema.string(description, { format: portName }),
      containerPort: port,
      protocol,
    }),
    restartPolicy: text,
  });

const podSpec = part("a pod's spec", {
  nodeName: text,
  hostNetwork: schema.boolean(description),
  serviceAccountName: text,
  containers: containers("a container"),
  initContainers: containers("an init container"),
});

const podStatus = part("a pod's status", {
  phase: schema.oneOf(description, ["Pending", "Running", "Succeeded", "Failed", "Unknown"]),
  podIP: address,
  podIPs: parts("a pod address", { ip: address }),
  hostIP: address,
  hostIPs: parts("a host address", { ip: address }),
});

const template = part("a pod template", { metadata, spec: podSpec });
const workload = open("a workload", { metadata, spec: part("a workload's spec", { template }) });

const targetPort = {
  type: "int-or-string",
  description,
  expected: "a port number or a port name",
  ...ports,
  format: portName,
} as const;

const serviceSpec = part("a Service's spec", {
  selector: anything,
  clusterIP: address,
  clusterIPs: addresses,
  externalIPs: addresses,
  ports: parts("a Service port", { name: text, port, targetPort, protocol }),
});

const jobTemplate = part("a Job template", { metadata, spec: part("a Job's spec", { template }) });

const byKind: Readonly<Record<string, ObjectSchema>> = {
  Namespace: open("a Namespace", { metadata }),
  Node: open("a Node", {
    metadata,
    status: part("a Node's status", { addresses: parts("a node address", { address: text }) }),
  }),
  Pod: open("a Pod", { metadata, spec: podSpec, status: podStatus }),
  Service: open("a Service", { metadata, spec: serviceSpec }),
  EndpointSlice: open("an EndpointSlice", {
    metadata,
    endpoints: parts("an endpoint", { addresses: texts }),
    ports: parts("an endpoint port", { port: schema.integer(description), protocol }),
  }),
  CronJob: open("a CronJob", { metadata, spec: part("a CronJob's spec", { jobTemplate }) }),
  CiliumCIDRGroup: open("a CiliumCIDRGroup", {
    metadata,
    spec: part("a CiliumCIDRGroup's spec", {
      externalCIDRs: list(description, schema.string(description, { format: cidr })),
    }),
  }),
};

/** The schema of the fields that are read of an object of the cluster. */
export function clusterSchemaOf(kind: string): ObjectSchema {
  return byKind[kind] ?? workload;
}
