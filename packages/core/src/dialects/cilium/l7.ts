import type { Condition } from "../../policy/model.js";
import {
  any,
  type Violation,
  integer,
  list,
  object,
  oneOf,
  optional,
  required,
  type Static,
  string,
} from "../../schema/schema.js";
import { forbidden } from "./forbidden.js";
import { fqdnSelector } from "./fqdn.js";
import { isPortRange, ports } from "./ports.js";

const secret = object("a secret reference", "A Secret that holds certificates, keys or values.", {
  name: required(string("The name of the Secret.")),
  namespace: optional(string("The namespace of the Secret.")),
});

const tls = (description: string) =>
  object("a TLS context", description, {
    secret: required(secret),
    trustedCA: optional(string("The item of the Secret that holds the trusted CA; `ca.crt` unless given.")),
    certificate: optional(string("The item that holds the certificate chain; `tls.crt` unless given.")),
    privateKey: optional(string("The item that holds the private key; `tls.key` unless given.")),
  });

const listener = object(
  "an Envoy listener",
  "The listener of an Envoy configuration that connections are sent to.",
  {
    envoyConfig: required(
      object("a reference to an Envoy configuration", "The object that defines the listener.", {
        kind: optional(
          oneOf("Its kind; the one of the policy's own scope unless given.", [
            "CiliumEnvoyConfig",
            "CiliumClusterwideEnvoyConfig",
          ]),
        ),
        name: required(string("Its name.")),
      }),
    ),
    name: required(string("The name of the listener in it.")),
    priority: optional(
      integer("Which listener wins where several apply; lower first.", { minimum: 1, maximum: 100 }),
    ),
  },
);

const http = object("an HTTP rule", "Requests that are let through; every field that is given must fit.", {
  path: optional(string("A regular expression for the path.")),
  method: optional(string("A regular expression for the method, such as `GET|HEAD`.")),
  host: optional(string("A regular expression for the Host header.")),
  headers: optional(list("Headers that must be there, as `Name` or `Name: value`.", string("A header."))),
  headerMatches: optional(
    list(
      "Headers that must have a value, and what to do where they do not.",
      object("a header match", "One header and its value.", {
        name: required(string("The name of the header.")),
        value: optional(string("The value it must have.")),
        secret: optional(secret),
        mismatch: optional(
          oneOf("What to do with a request that does not fit; it is dropped unless given.", [
            "LOG",
            "ADD",
            "DELETE",
            "REPLACE",
          ]),
        ),
      }),
    ),
  ),
});

const l7Rules = object(
  "L7 rules",
  "What requests must look like, of one application protocol.",
  {
    http: optional(list("HTTP requests that are let through; for TCP ports only.", http)),
    dns: optional(list("DNS queries that are let through; for egress only.", fqdnSelector)),
    kafka: optional(any("Not supported.")),
    l7proto: optional(any("Not supported.")),
    l7: optional(any("Not supported.")),
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
  "Ports, and what connections to them must fulfil besides. Without ports it matches nothing.",
  {
    ports: optional(ports),
    rules: optional(l7Rules),
    serverNames: optional(
      list("TLS server names (SNI) that connections may ask for.", string("A server name.")),
    ),
    terminatingTLS: optional(tls("How Cilium's proxy answers the client's TLS.")),
    originatingTLS: optional(tls("How Cilium's proxy speaks TLS to the destination.")),
    listener: optional(listener),
  },
  [{ kind: "custom", check: checkL7 }],
);

const portDenyRule = object(
  "a port rule of a deny item",
  "Ports that are denied; without ports it matches nothing.",
  {
    ports: optional(ports),
    rules: optional(any("Not allowed here: a connection is denied before any request is seen.")),
  },
  [forbidden("rules", "TW1416", "L7 `rules` cannot stand in a deny item; a connection is denied as a whole")],
);

const portRulesDescription = "Destination ports; every port of every protocol when missing or empty.";
export const portRules = list(portRulesDescription, portRule);
export const portDenyRules = list(portRulesDescription, portDenyRule);

/** S7.7: what else must hold before this entry lets traffic through. */
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
      complain(["ports", i, "port"], 'L7 rules need a port of their own; "0" is every port');
    if (http !== undefined && (port.protocol ?? "ANY") !== "TCP")
      complain(
        Object.hasOwn(port, "protocol") ? ["ports", i, "protocol"] : ["ports", i],
        "`http` rules are for TCP only; write `protocol: TCP`",
      );
    if (dns !== undefined && isPortRange(port.port, port.endPort))
      complain(
        ["ports", i, "endPort"],
        "`dns` rules cannot stand on a range of ports; list the ports one by one",
      );
  }
  if (dns !== undefined && !(Array.isArray(entry.ports) && entry.ports.length > 0))
    findings.push({
      code: "TW1416",
      path: ["rules", "dns"],
      at: "key",
      message: '`dns` rules need ports; write port "53"',
    });
  return findings;
}
