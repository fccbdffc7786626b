import type { Condition } from "../../policy/model.js";
import {
  any,
  type Violation,
  integer,
  list,
  object,
  oneOf,
  required,
  type Static,
  string,
} from "../../schema/schema.js";
import { forbidden } from "./forbidden.js";
import { fqdnSelector } from "./fqdn.js";
import { isPortRange, ports } from "./ports.js";

const secret = object("a secret reference", "A Secret that holds certificates, keys or values.", {
  name: required(string("The name of the Secret.")),
  namespace: string("The namespace of the Secret."),
});

const tls = (description: string) =>
  object("a TLS context", description, {
    secret: required(secret),
    trustedCA: string("The item of the Secret that holds the trusted CA. Default: `ca.crt`."),
    certificate: string("The item that holds the certificate chain. Default: `tls.crt`."),
    privateKey: string("The item that holds the private key. Default: `tls.key`."),
  });

const listener = object(
  "an Envoy listener",
  "The listener of an Envoy configuration that connections are sent to.",
  {
    envoyConfig: required(
      object("a reference to an Envoy configuration", "The object that defines the listener.", {
        kind: oneOf("Its kind. Default: the kind with the scope of the policy.", [
          "CiliumEnvoyConfig",
          "CiliumClusterwideEnvoyConfig",
        ]),
        name: required(string("Its name.")),
      }),
    ),
    name: required(string("The name of the listener in it.")),
    priority: integer("The priority of the listener; if several apply, the lowest number wins.", {
      minimum: 1,
      maximum: 100,
    }),
  },
);

const http = object("an HTTP rule", "Allowed requests; every field that is set must match.", {
  path: string("A regular expression for the path."),
  method: string("A regular expression for the method, such as `GET|HEAD`."),
  host: string("A regular expression for the Host header."),
  headers: list("Required headers, as `Name` or `Name: value`.", string("A header.")),
  headerMatches: list(
    "Headers that must have a value, and what to do if they do not.",
    object("a header match", "One header and its value.", {
      name: required(string("The name of the header.")),
      value: string("The value it must have."),
      secret: secret,
      mismatch: oneOf("What to do with a request that does not match. Default: drop it.", [
        "LOG",
        "ADD",
        "DELETE",
        "REPLACE",
      ]),
    }),
  ),
});

const l7Rules = object(
  "L7 rules",
  "Conditions on requests of one application protocol.",
  {
    http: list("Allowed HTTP requests; for TCP ports only.", http),
    dns: list("Allowed DNS queries; for egress only.", fqdnSelector),
    kafka: any("Not supported."),
    l7proto: any("Not supported."),
    l7: any("Not supported."),
  },
  [
    { kind: "exactly-one", of: ["http", "dns", "kafka", "l7proto"], code: "TW1416" },
    ...["kafka", "l7proto", "l7"].map((field) =>
      forbidden(field, "TW1414", `\`${field}\` rules are not supported; \`http\` and \`dns\` are`),
    ),
  ],
);

const portRule = object(
  "a Cilium port rule",
  "Ports, and further conditions on connections to them. Without ports, it matches nothing.",
  {
    ports: ports,
    rules: l7Rules,
    serverNames: list("Allowed TLS server names (SNI).", string("A server name.")),
    terminatingTLS: tls("How Cilium's proxy terminates the client's TLS."),
    originatingTLS: tls("How Cilium's proxy originates TLS to the destination."),
    listener: listener,
  },
  [{ kind: "custom", check: checkL7 }],
);

const portDenyRule = object(
  "a port rule of a deny item",
  "Ports that are denied. Without ports, it matches nothing.",
  {
    ports: ports,
    rules: any("Not allowed here: connections are denied before any request."),
  },
  [
    forbidden(
      "rules",
      "TW1416",
      "L7 `rules` are not allowed in a deny item; connections are denied as a whole",
    ),
  ],
);

const portRulesDescription = "Destination ports; every port of every protocol if missing or empty.";
export const portRules = list(portRulesDescription, portRule);
export const portDenyRules = list(portRulesDescription, portDenyRule);

/** S7.7: what else must hold before this entry allows traffic. */
export function conditionOf(entry: Static<typeof portRule>): Condition | undefined {
  const { rules, serverNames = [], terminatingTLS, originatingTLS, listener } = entry;
  const l7 = rules?.http !== undefined ? ["http"] : rules?.dns !== undefined ? ["dns"] : [];
  const always = [
    ...(serverNames.length > 0 ? ["SNI"] : []),
    ...(terminatingTLS !== undefined ? ["TLS termination"] : []),
    ...(originatingTLS !== undefined ? ["TLS origination"] : []),
    ...(listener !== undefined ? ["a listener"] : []),
  ];
  if (always.length > 0) return { kind: "always", what: [...always, ...l7].join(", ") };
  return l7.length > 0 ? { kind: "l7", what: l7.join("") } : undefined;
}

// S7.9. Wrongly typed parts are undefined, and have been reported.
function checkL7(entry: Readonly<Record<string, unknown>>): readonly Violation[] {
  const { http, dns } = (entry.rules ?? {}) as { http?: unknown; dns?: unknown };
  if (http === undefined && dns === undefined) return [];
  const written = ((entry.ports ?? []) as readonly (Static<typeof ports>[number] | undefined)[]).entries();
  const findings: Violation[] = [];
  const complain = (path: Violation["path"], message: string) =>
    findings.push({ code: "TW1416", path, message });
  for (const [i, port] of written) {
    if (port === undefined) continue;
    if (port.port === "0")
      complain(["ports", i, "port"], 'L7 rules require specific ports; "0" is every port');
    if (http !== undefined && (port.protocol ?? "ANY") !== "TCP")
      complain(
        Object.hasOwn(port, "protocol") ? ["ports", i, "protocol"] : ["ports", i],
        "`http` rules are for TCP only; write `protocol: TCP`",
      );
    if (dns !== undefined && isPortRange(port.port, port.endPort))
      complain(["ports", i, "endPort"], "`dns` rules are not allowed on a port range; list each port");
  }
  if (dns !== undefined && !(Array.isArray(entry.ports) && entry.ports.length > 0))
    findings.push({
      code: "TW1416",
      path: ["rules", "dns"],
      at: "key",
      message: '`dns` rules require ports; write port "53"',
    });
  return findings;
}
