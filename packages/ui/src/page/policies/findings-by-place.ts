import type { FindingView } from "../worker/questions/findings.js";

/** Findings by the policy they are about, and those that are about none. */
export class FindingsByPlace {
  private readonly byPolicy = new Map<string, FindingView[]>();
  readonly elsewhere: readonly FindingView[];

  constructor(findings: readonly FindingView[]) {
    for (const finding of findings) {
      if (finding.policy === undefined) continue;
      const known = this.byPolicy.get(finding.policy);
      if (known === undefined) this.byPolicy.set(finding.policy, [finding]);
      else known.push(finding);
    }
    this.elsewhere = findings.filter(({ policy }) => policy === undefined);
  }

  of(policy: string): readonly FindingView[] {
    return this.byPolicy.get(policy) ?? none;
  }
}

const none: readonly FindingView[] = [];
