import { parseAddress } from "../net/address.js";
import { cidr, portName } from "../schema/formats.js";
import {
  any,
  boolean,
  type Fields,
  type Format,
  integer,
  list,
  object,
  type ObjectSchema,
  oneOf,
  optional,
  string,
} from "../schema/schema.js";

/*
 * The parts of Kubernetes' own objects that verdicts hang on. What else they hold is none of our business; but a
 * part that we read must be what it claims to be, and a slip in its name must not make it disappear (S10.3).
 */

const open = <F extends Fields>(title: string, fields: F): ObjectSchema<F> => ({
  ...object(title, "As far as network policy looks at it.", fields),
  open: true,
});

const ipAddress: Format = {
  name: "ip-address",
  check: (text) =>
    text === "" || text === "None" || parseAddress(text) !== undefined
      ? []
      : [{ code: "TW1309", message: `\`${text}\` is not an IP address` }],
};

const port = (description: string) => integer(description, { minimum: 1, maximum: 65535 });
const protocol = optional(oneOf("The protocol.", ["TCP", "UDP", "SCTP"]));
const address = (description: string) => string(description, { format: ipAddress });
const addressList = (title: string) =>
  list("Addresses.", open(title, { ip: optional(address("An address.")) }));

const metadata = optional(
  open("metadata", {
    name: optional(any("Its name.")),
    namespace: optional(any("Its namespace.")),
    labels: optional(any("Its labels.")),
    annotations: optional(any("Notes for tools.")),
    ownerReferences: optional(list("Its owners.", open("an owner reference", {}))),
  }),
);

const containers = (what: string) =>
  list(
    "What runs in it.",
    open(what, {
      ports: optional(
        list(
          "Ports that it declares.",
          open("a container port", {
            name: optional(string("Its name.", { format: portName })),
            containerPort: optional(port("The port.")),
            protocol,
          }),
        ),
      ),
      restartPolicy: optional(string("`Always` makes an init container a sidecar.")),
    }),
  );

const podSpec = optional(
  open("a pod's spec", {
    nodeName: optional(string("The node it runs on.")),
    hostNetwork: optional(boolean("Whether it uses the network of its node.")),
    serviceAccountName: optional(string("Its service account.")),
    containers: optional(containers("a container")),
    initContainers: optional(containers("an init container")),
  }),
);

const podStatus = optional(
  open("a pod's status", {
    phase: optional(
      oneOf("Where it is in its life.", ["Pending", "Running", "Succeeded", "Failed", "Unknown"]),
    ),
    podIP: optional(address("Its address.")),
    podIPs: optional(addressList("a pod address")),
    hostIP: optional(address("The address of its node.")),
    hostIPs: optional(addressList("a host address")),
  }),
);

const template = optional(open("a pod template", { metadata, spec: podSpec }));
const workload = open("a workload", { metadata, spec: optional(open("a workload's spec", { template })) });

const service = open("a Service", {
  metadata,
  spec: optional(
    open("a Service's spec", {
      selector: optional(any("The pods behind it.")),
      clusterIP: optional(address("Its address.")),
      clusterIPs: optional(list("Its addresses.", address("An address."))),
      externalIPs: optional(list("Addresses outside the cluster.", address("An address."))),
      ports: optional(
        list(
          "Its ports.",
          open("a Service port", {
            name: optional(string("Its name.")),
            port: optional(port("The port.")),
            targetPort: optional({
              type: "int-or-string",
              description: "The port of the pods.",
              expected: "a port number or a port name",
              minimum: 1,
              maximum: 65535,
              format: portName,
            }),
            protocol,
          }),
        ),
      ),
    }),
  ),
});

const endpointSlice = open("an EndpointSlice", {
  metadata,
  endpoints: optional(
    list(
      "Who answers.",
      open("an endpoint", { addresses: optional(list("Addresses.", string("An address."))) }),
    ),
  ),
  ports: optional(
    list("On which ports.", open("an endpoint port", { port: optional(integer("The port.")), protocol })),
  ),
});

const cronJob = open("a CronJob", {
  metadata,
  spec: optional(
    open("a CronJob's spec", {
      jobTemplate: optional(
        open("a Job template", { metadata, spec: optional(open("a Job's spec", { template })) }),
      ),
    }),
  ),
});

const node = open("a Node", {
  metadata,
  status: optional(
    open("a Node's status", {
      addresses: optional(
        list("Its addresses.", open("a node address", { address: optional(string("An address.")) })),
      ),
    }),
  ),
});

const cidrGroup = open("a CiliumCIDRGroup", {
  metadata,
  spec: optional(
    open("a CiliumCIDRGroup's spec", {
      externalCIDRs: optional(list("Its ranges.", string("A range.", { format: cidr }))),
    }),
  ),
});

const byKind: Readonly<Record<string, ObjectSchema>> = {
  Namespace: open("a Namespace", { metadata }),
  Node: node,
  Pod: open("a Pod", { metadata, spec: podSpec, status: podStatus }),
  Service: service,
  EndpointSlice: endpointSlice,
  CronJob: cronJob,
  CiliumCIDRGroup: cidrGroup,
};

/** What an object of the cluster must look like, as far as we read it. */
export function clusterSchemaOf(kind: string): ObjectSchema {
  return byKind[kind] ?? workload;
}
