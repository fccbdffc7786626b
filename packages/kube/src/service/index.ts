// What processes that follow a cluster have in common. A door of its own: it takes long to load, and most commands are no such process.
export { HealthLog } from "./health-log.js";
export { ServiceMetrics } from "./service-metrics.js";
export { refuseToStart, serviceLog, stopSignal } from "./service-process.js";
