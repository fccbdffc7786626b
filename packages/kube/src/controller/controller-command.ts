import type { ControllerCommand } from "./controller.js";

/** Runs until it is told to stop; returns the exit status. It is loaded when it is wanted: others start faster so. */
export async function runController(options: ControllerCommand): Promise<number> {
  const { controllerProcess } = await import("./controller-process.js");
  return controllerProcess(options);
}
