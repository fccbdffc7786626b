import type { Address } from "../../net/address.js";
import type { Direction } from "../../policy/model.js";
import type { EndpointRef, PortRef } from "../endpoints/endpoint-ref.js";

/** An endpoint of an observed connection, as the record names it. */
export type ObservedEnd =
  | {
      readonly kind: "pod";
      readonly namespace: string;
      readonly name: string;
      /** The workload that made it, if the record names it: pods are replaced, workloads stay. */
      readonly workload?: { readonly kind: string; readonly name: string };
      readonly address?: Address;
    }
  /** `claimed`: what the record calls it, whether or not the input has it. */
  | { readonly kind: "address"; readonly address: Address; readonly claimed?: "node" | "pod" }
  | { readonly kind: "written"; readonly text: string; readonly ref: EndpointRef };

/** An observed connection. */
export interface Observation {
  readonly from: ObservedEnd;
  readonly to: ObservedEnd;
  readonly port: Exclude<PortRef, { kind: "all" }>;
  readonly times: number;
  /** The observed verdict; with a direction if it is only about the policies of one endpoint. */
  readonly seen?: { readonly verdict: "Allow" | "Deny"; readonly direction?: Direction };
  /** Its destination was rewritten: then even a pod's own address is reached through a Service (S1.6). */
  readonly rewritten?: boolean;
}

/** Why a record is not about a new connection (S1.5), or not about one that policies apply to. */
export const skipReasons = {
  reply: "replies, which are allowed with their connections",
  established: "packets of open connections whose source is unknown",
  icmp: "ICMP other than echo requests",
  protocol: "protocols other than TCP, UDP, SCTP and ICMP",
  request: "L7 requests inside connections",
  event: "events that are not flows",
} as const;
export type SkipReason = keyof typeof skipReasons;

/** What one line of a file with observed traffic is. */
export type ReadLine =
  | { readonly kind: "observation"; readonly observation: Observation }
  | { readonly kind: "skipped"; readonly why: SkipReason }
  | { readonly kind: "broken"; readonly why: string };

export const skipped = (why: SkipReason): ReadLine => ({ kind: "skipped", why });
export const broken = (why: string): ReadLine => ({ kind: "broken", why });
