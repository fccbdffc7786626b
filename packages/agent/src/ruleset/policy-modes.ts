import type { ModesOf, PolicyModes } from "./program.js";

export const auditAnnotation = "tierwall.dev/audit";
export const enforcementAnnotation = "tierwall.dev/enforcement";

/** What policies ask for in their annotations; what is not understood is as if it were not there. */
export const annotatedModes: ModesOf = ({ annotations }): PolicyModes => {
  const audit = annotations[auditAnnotation];
  return {
    audit: audit === "all" || audit === "none" ? audit : "denied",
    shadow: annotations[enforcementAnnotation] === "shadow",
  };
};
