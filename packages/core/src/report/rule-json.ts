import { formatRequirement, type LabelMatch } from "../labels/requirement.js";
import { formatCidr } from "../net/cidr.js";
import {
  describeCondition,
  describeDomain,
  describePeer,
  describePort,
  describeSubject,
} from "../policy/describe.js";
import type { NamespaceSet, Peer, PortMatch, Rule } from "../policy/model.js";
import type { JsonFields, JsonValue } from "./explanation/explanation-json.js";

/** The content of a rule, in addition to its place (`ruleJson`): each part as text, and as fields for filters. */
export function ruleContentJson(rule: Rule): JsonFields {
  return {
    subject: {
      text: describeSubject(rule.subject),
      namespaces: selector(rule.subject.namespaces),
      pods: selector(rule.subject.pods),
      account: rule.subject.account && selector(rule.subject.account),
    },
    peers: rule.peers.map((peer) => ({ kind: peer.kind, text: describePeer(peer), ...peerFields(peer) })),
    ports: rule.ports === "every" ? "all" : rule.ports.map(portJson),
    condition: rule.condition && describeCondition(rule.condition),
    failedClosed: rule.failedClosed,
  };
}

/** As `kubectl -l` takes it; empty for everything. */
function selector(match: LabelMatch): string {
  const each = match.map((requirement) => {
    const { key, operator, values } = requirement;
    if (values.length < 2) return formatRequirement(requirement);
    return `${key} ${operator === "In" ? "in" : "notin"} (${values.join(",")})`;
  });
  return each.join(",");
}

function peerFields(peer: Peer): JsonFields {
  switch (peer.kind) {
    case "everything":
      return {};
    case "pods":
      return {
        namespaces: setJson(peer.namespaces),
        pods: setJson(peer.pods),
        account: peer.account && selector(peer.account),
      };
    case "networks":
      return { cidrs: peer.cidrs.map(formatCidr), except: peer.except.map(formatCidr), reach: peer.reach };
    case "nodes":
      return { nodes: selector(peer.nodes) };
    case "domains":
      return { domains: peer.patterns.map(describeDomain), reach: peer.reach };
    case "entity":
      return {
        entity: peer.entity,
        nodes: peer.nodes && selector(peer.nodes),
        apiServer: peer.apiServer,
      };
    case "endpoints": {
      const { namespace, name, labels } = peer.services;
      return { service: { namespace, name, labels: labels && selector(labels) } };
    }
    case "cidr-group":
      return {
        name: peer.name,
        labels: peer.labels && selector(peer.labels),
        except: peer.except.map(formatCidr),
      };
    case "unknown-set":
      return { what: peer.what, reach: peer.reach };
  }
}

/** Relative sets have no selector: they depend on the subject (S5.4). */
function setJson(set: NamespaceSet): JsonValue {
  switch (set.kind) {
    case "selector":
      return { selector: selector(set.match) };
    case "self":
    case "not-self":
      return { relative: set.kind };
    case "same-labels":
    case "not-same-labels":
      return { relative: set.kind, keys: set.keys };
  }
}

function portJson(port: PortMatch): JsonValue {
  const text = describePort(port);
  switch (port.kind) {
    case "range":
      return { text, protocol: port.protocol, first: port.first, last: port.last };
    case "named":
      return { text, protocol: port.protocol, name: port.name };
    case "icmp":
      return {
        text,
        protocol: "ICMP",
        family: `IPv${port.family}`,
        type: port.type === 0 ? undefined : port.type,
      };
  }
}
