import type { Capability, ClauseId } from "@fairlead/contract";
import type { Rehearsal } from "./rehearsal.ts";

/** Records whether a clause was kept. The same clause may be verified in many scenarios; it must hold in all. */
export type Verifies = (clause: ClauseId, check: () => void | Promise<void>) => Promise<void>;

/** A situation that the judge puts an agent into. */
export interface Scenario {
  readonly name: string;
  /** Only for agents that declare all of these. */
  readonly needs: readonly Capability[];
  /** What it shows. A clause listed here that is never reached counts as broken: what cannot be tested has failed. */
  readonly cites: readonly ClauseId[];
  perform(rehearsal: Rehearsal, verifies: Verifies): Promise<void>;
}
