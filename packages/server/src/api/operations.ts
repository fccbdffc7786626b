import { descriptionOperation } from "./description.js";
import { diffOperation } from "./diff.js";
import { endpointsOperation } from "./endpoints.js";
import { eventsOperation, type EventTimes } from "./events.js";
import { explainOperation } from "./explain.js";
import { guaranteesOperation } from "./guarantees.js";
import { lintOperation } from "./lint.js";
import { lookupOperation } from "./lookup.js";
import { matrixOperation } from "./matrix.js";
import type { Operation } from "./operation.js";
import { policiesOperation } from "./policies.js";
import { previewOperation } from "./preview.js";
import { stateOperation } from "./state.js";
import { summaryOperation } from "./summary.js";

/** What the page requests: it computes everything else itself. */
export const pageOperations = (times: EventTimes): readonly Operation[] => [
  stateOperation(),
  eventsOperation(times),
];

/** All operations; openapi.yaml describes each. */
export const operations = (times: EventTimes): readonly Operation[] => [
  ...pageOperations(times),
  summaryOperation,
  endpointsOperation,
  explainOperation,
  matrixOperation,
  lookupOperation,
  policiesOperation,
  lintOperation,
  guaranteesOperation(),
  previewOperation,
  diffOperation,
  descriptionOperation(),
];
