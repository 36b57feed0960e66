import type { Event, SpoolRecord } from "@fairlead/contract";
import type { Verdict } from "../verdict.ts";

/** The records and events of one version of an agent in one scenario. */
export interface ScenarioBehavior {
  readonly name: string;
  readonly records: readonly SpoolRecord[];
  readonly events: readonly Event[];
}

/** The recorded behavior of one version of an agent in all scenarios. */
export interface AgentBehavior {
  readonly version: string;
  /** The flags and subcommands that the program's help lists. */
  readonly flags: readonly string[];
  readonly scenarios: readonly ScenarioBehavior[];
  readonly verdicts: readonly Verdict[];
}
