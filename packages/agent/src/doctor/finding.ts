/** How bad a finding is: `failure` means that policies are not enforced as written, `unknown` that it could not be checked. */
export type Severity = "ok" | "unknown" | "warning" | "failure";

/** What one check of a node found. */
export interface Finding {
  readonly check: string;
  readonly severity: Severity;
  readonly message: string;
  /** What to do about it. */
  readonly remedy?: string;
}

/** A part of a finding: the doctor adds the name of the check. */
export type Found = Omit<Finding, "check">;

export const ok = (message: string): Found => ({ severity: "ok", message });
export const unknown = (message: string, remedy?: string): Found => found("unknown", message, remedy);
export const warning = (message: string, remedy?: string): Found => found("warning", message, remedy);
export const failure = (message: string, remedy?: string): Found => found("failure", message, remedy);

function found(severity: Severity, message: string, remedy: string | undefined): Found {
  return { severity, message, ...(remedy === undefined ? {} : { remedy }) };
}
