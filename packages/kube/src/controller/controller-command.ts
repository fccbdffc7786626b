import type { ControllerCommand } from "./controller.js";

/** Runs until it receives a signal; returns the exit status. It is loaded on demand, so that other commands start faster. */
export async function runController(options: ControllerCommand): Promise<number> {
  const { controllerProcess } = await import("./controller-process.js");
  return controllerProcess(options);
}
