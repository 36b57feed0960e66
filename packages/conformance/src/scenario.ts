import type { Capability, ClauseId } from "@fairlead/contract";
import type { ScenarioRun } from "./scenario-run.ts";

/** Runs a check and records whether it kept the clause. Several scenarios may verify one clause; all must keep it. */
export type VerifyClause = (clause: ClauseId, check: () => void | Promise<void>) => Promise<void>;

/** One situation that the judge puts an agent into, and the clauses that it verifies. */
export interface Scenario {
  readonly name: string;
  /** The judge runs the scenario only for agents that declare all of these. */
  readonly needs: readonly Capability[];
  /** The judge runs the scenario only for agents that declare none of these. */
  readonly lacks?: readonly Capability[];
  /** The clauses that the scenario verifies. A listed clause that `execute` does not reach counts as broken. */
  readonly clauses: readonly ClauseId[];
  /** Set if a recording of the scenario would be too large to store. */
  readonly unrecorded?: true;
  execute(run: ScenarioRun, verify: VerifyClause): Promise<void>;
}
