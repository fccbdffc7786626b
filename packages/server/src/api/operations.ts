import { eventsOperation, type EventTimes } from "./events.js";
import type { Operation } from "./operation.js";
import { stateOperation } from "./state.js";

/** All that can be asked; openapi.yaml describes each. */
export const operations = (times: EventTimes): readonly Operation[] => [
  stateOperation(),
  eventsOperation(times),
];
