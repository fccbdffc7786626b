import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { readGuarantees } from "@tierwall/core/prove";
import { claimAboutTenants, tenantsOf } from "../generate/guardrails.js";
import { processorSeconds } from "./clock.js";
import { stateOf } from "./prove.js";

/** The second prover that tests compare with, as far as it is used here. */
interface SecondProver {
  readonly claimScript: (claim: unknown, tiers: unknown) => string;
  readonly claimConstants: readonly string[];
  readonly Z3: { readonly start: () => Promise<Z3> };
}

interface Z3 {
  satisfiable(script: string, constants: readonly string[]): Promise<readonly boolean[]>;
  end(): Promise<void>;
}

export interface Z3Result {
  /** What it took of processors to read the script and to answer; without loading z3 and without writing the script. */
  readonly seconds: number;
  /** Whether it answered within the limit. */
  readonly finished: boolean;
  readonly result: "Proven" | "Refuted" | "Vacuous" | "not finished";
}

/** The question about tenants, asked of z3. It is given up after some seconds on the clock. */
export async function z3(input: { readonly tenants: number; readonly limit: number }): Promise<Z3Result> {
  const { claimScript, claimConstants, Z3: Prover } = await secondProver();
  const { tiers } = stateOf(tenantsOf(input.tenants));
  const { guarantees } = readGuarantees(claimAboutTenants(input.tenants), "claims.yaml");
  const script = claimScript({ ...guarantees[0]!.claim, assumptions: [] }, tiers);
  const prover = await Prover.start();
  const start = processorSeconds();
  const limit = new Promise<undefined>((give) =>
    setTimeout(() => give(undefined), input.limit * 1000).unref(),
  );
  const answers = await Promise.race([prover.satisfiable(script, claimConstants), limit]);
  const seconds = processorSeconds() - start;
  if (answers === undefined) return { seconds, finished: false, result: "not finished" };
  await prover.end();
  const [applies, isViolated] = answers;
  return { seconds, finished: true, result: isViolated ? "Refuted" : applies ? "Proven" : "Vacuous" };
}

/** What only tests use is not compiled: it is bundled for this process. */
async function secondProver(): Promise<SecondProver> {
  const testing = fileURLToPath(new URL("../../../packages/core/testing/z3/", import.meta.url));
  const outDir = fileURLToPath(new URL(`../../dist/z3-${process.pid}/`, import.meta.url));
  await build({
    configFile: false,
    logLevel: "silent",
    build: {
      outDir,
      target: "es2023",
      lib: {
        entry: { script: `${testing}claim-script.ts`, z3: `${testing}z3.ts` },
        formats: ["cjs"],
        fileName: (_, name) => `${name}.cjs`,
      },
      rolldownOptions: { external: ["z3-solver"] },
    },
  });
  const load = createRequire(import.meta.url);
  try {
    return { ...load(`${outDir}script.cjs`), ...load(`${outDir}z3.cjs`) } as SecondProver;
  } finally {
    rmSync(outDir, { recursive: true });
  }
}
