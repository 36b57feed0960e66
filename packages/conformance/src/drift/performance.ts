import type { Event, SpoolRecord } from "@fairlead/contract";
import type { Verdict } from "../verdict.ts";

/** What one version of an agent did in one scenario. */
export interface Scene {
  readonly name: string;
  readonly records: readonly SpoolRecord[];
  readonly events: readonly Event[];
}

/** Everything that one version of an agent did on its stage. */
export interface Performance {
  readonly version: string;
  /** The flags that its help shows. */
  readonly flags: readonly string[];
  readonly scenes: readonly Scene[];
  readonly verdicts: readonly Verdict[];
}
