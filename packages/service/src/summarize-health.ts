import type { Health, SessionView } from "@fairlead/api";
import type { Engine } from "@fairlead/engine";
import type { SessionCount } from "./index-queries.ts";

export interface ServiceFacts {
  readonly version: string;
  readonly startedAt: string;
  readonly journalRecovery: Engine["recovery"];
  /** What is wrong with the data directory, or null. */
  readonly problem: string | null;
}

/** Builds the health report. Silent, stuck and input-closed sessions count as working: their turns are open. */
export function summarizeHealth(counts: readonly SessionCount[], facts: ServiceFacts): Health {
  const count = (...states: SessionView["state"][]): number =>
    counts.reduce((sum, one) => (states.includes(one.state) ? sum + one.count : sum), 0);
  const { version, startedAt, journalRecovery, problem } = facts;
  return {
    status: "ok",
    version,
    startedAt,
    api: "fairlead/1",
    pid: process.pid,
    problem,
    sessions: {
      working: count("working", "silent", "stuck", "input-closed"),
      waiting: count("waiting"),
      idle: count("idle"),
      paused: count("paused"),
      lost: count("lost"),
      damaged: count("damaged"),
    },
    journal: {
      verdict: journalRecovery?.verdict ?? "clean",
      bytesDiscarded: journalRecovery?.bytesDiscarded ?? 0,
    },
  };
}
