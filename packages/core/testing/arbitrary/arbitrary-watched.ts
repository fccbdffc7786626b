import fc from "fast-check";
import { anyCiliumItem, type CiliumItem } from "./arbitrary-cilium.js";
import { anyNamespaceName, anyOf, type Unnamed } from "./arbitrary-vocabulary.js";

const choices = { unknowable: false, conditions: false } as const;

/** An item of a Cilium policy with L7 rules, most of the time. */
const watchedItem = (section: "ingress" | "egress"): fc.Arbitrary<CiliumItem> =>
  fc.tuple(anyCiliumItem(section, choices), fc.nat(3)).map(([written, die]) => {
    const { icmps: _, ...item } = written;
    const ports =
      die === 1
        ? [
            { port: "80", protocol: "TCP" },
            { port: "http", protocol: "TCP" },
          ]
        : [{ port: "80", protocol: "TCP" }];
    return die === 0 ? item : { ...item, toPorts: [{ ports, rules: { http: [{ method: "GET" }] } }] };
  });

/** A policy of Cilium, most of whose items have L7 rules on port 80, so that items of several policies meet. */
export const watchedPolicy: fc.Arbitrary<Unnamed<unknown>> = fc
  .tuple(fc.option(anyNamespaceName, { nil: undefined }), anyOf<"ingress" | "egress">("ingress", "egress"))
  .chain(([namespace, section]) =>
    fc.array(watchedItem(section), { minLength: 1, maxLength: 2 }).map((items) => ({
      apiVersion: "cilium.io/v2",
      kind: namespace === undefined ? "CiliumClusterwideNetworkPolicy" : "CiliumNetworkPolicy",
      ...(namespace === undefined ? {} : { namespace }),
      spec: { endpointSelector: {}, [section]: items },
    })),
  );
