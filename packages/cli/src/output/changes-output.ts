import { appendFileSync } from "node:fs";
import { type Annotation, annotationText } from "@tierwall/core/report";
import { Option } from "commander";
import { print, printMessage } from "./terminal.js";

export type ChangesFormat = "text" | "json" | "md" | "github";

export const outputOption = (): Option =>
  new Option("-o, --output <format>", "how to answer; github annotates lines and writes the step summary")
    .choices(["text", "json", "md", "github"])
    .default("text");

export const grainOption = (): Option =>
  new Option("--by <grain>", "how to group connections")
    .choices(["pod", "workload", "namespace"])
    .default("workload");

/** GitHub shows ten annotations of each kind and step, so that the first have to be those that matter most. */
export function printForGithub(annotations: readonly Annotation[], summary: string): void {
  for (const annotation of annotations) print(annotationText(annotation));
  const file = process.env.GITHUB_STEP_SUMMARY ?? "";
  if (file === "") return;
  try {
    appendFileSync(file, `${summary}\n`);
  } catch (cause) {
    printMessage(
      `the step summary could not be written: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
}
