import type { Diagnostic } from "@tierwall/core";
import { readConnectivityTests } from "@tierwall/core/analysis";
import { readGuarantees } from "@tierwall/core/prove";
import type { ManifestFile } from "@tierwall/kube";

/** Objects of one of our kinds, which are not part of a cluster's state. */
export interface AssertionObjects {
  readonly kind: "ConnectivityTest" | "Guarantee";
  /** Those without errors. */
  readonly count: number;
  readonly files: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The ConnectivityTests and Guarantees among manifests, and what is wrong with them. */
export function assertionObjects(sources: readonly ManifestFile[]): readonly AssertionObjects[] {
  const texts = sources.flatMap((source) => ("text" in source ? [source] : []));
  const tests = texts.map(({ text, file }) => {
    const { tests: objects, diagnostics } = readConnectivityTests(text, file);
    return { file, count: objects.length, diagnostics };
  });
  const guarantees = texts.map(({ text, file }) => {
    const { guarantees: objects, diagnostics } = readGuarantees(text, file);
    return { file, count: objects.length, diagnostics };
  });
  return [together("ConnectivityTest", tests), together("Guarantee", guarantees)];
}

interface InFile {
  readonly file: string;
  readonly count: number;
  readonly diagnostics: readonly Diagnostic[];
}

function together(kind: AssertionObjects["kind"], found: readonly InFile[]): AssertionObjects {
  return {
    kind,
    count: found.reduce((sum, { count }) => sum + count, 0),
    files: found.flatMap(({ file, count }) => (count > 0 ? [file] : [])),
    diagnostics: found.flatMap(({ diagnostics }) => diagnostics),
  };
}
