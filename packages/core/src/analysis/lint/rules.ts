import type { LintRule } from "./rule.js";
import { cidrOfPods } from "./rules/cidr-of-pods.js";
import { dnsDenied } from "./rules/dns-denied.js";
import { dnsOverUdpOnly } from "./rules/dns-over-udp-only.js";
import { guardrailOnNamespaceLabels } from "./rules/guardrail-on-namespace-labels.js";
import { guardrailOnPodLabels } from "./rules/guardrail-on-pod-labels.js";
import { undeclaredPort } from "./rules/named-port.js";
import { namesWithoutDeny } from "./rules/names-without-deny.js";
import { networksCatchPods } from "./rules/networks-catch-pods.js";
import { orderConflict } from "./rules/order-conflict.js";
import { otherFamilyOpen } from "./rules/other-family-open.js";
import { overriddenIsolation } from "./rules/overridden-isolation.js";
import { overriddenPolicy } from "./rules/overridden-policy.js";
import { possibleOrderConflict } from "./rules/possible-order-conflict.js";
import { redundantRule } from "./rules/redundant-rule.js";
import { selectsNothing } from "./rules/selects-nothing.js";
import { shadowedRule } from "./rules/shadowed-rule.js";
import { sharedPriority } from "./rules/shared-priority.js";
import { supersededApi } from "./rules/superseded.js";
import { unreachedRule } from "./rules/unreached-rule.js";

/** All lint rules, in addition to what `tierwall validate` reports. */
export const lintRules: readonly LintRule[] = [
  selectsNothing,
  otherFamilyOpen,
  cidrOfPods,
  undeclaredPort,
  dnsDenied,
  dnsOverUdpOnly,
  namesWithoutDeny,
  networksCatchPods,
  supersededApi,
  guardrailOnPodLabels,
  guardrailOnNamespaceLabels,
  // Proven with the engine and the prover (analysis/proof/).
  shadowedRule,
  unreachedRule,
  redundantRule,
  overriddenPolicy,
  overriddenIsolation,
  sharedPriority,
  orderConflict,
  possibleOrderConflict,
];
