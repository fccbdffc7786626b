import type { Look } from "@tierwall/core/report";

/** What the bytes of a matrix mean; `itself` is no pair at all. */
export const looks: readonly Look[] = ["itself", "all", "some", "partly", "undecided", "none"];
