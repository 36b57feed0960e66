import type { Health, SessionView } from "@fairlead/api";
import type { Runtime } from "@fairlead/runtime";
import type { SessionCount } from "./queries.ts";

export interface ServiceFacts {
  readonly version: string;
  readonly startedAt: string;
  readonly journalRecovery: Runtime["journalRecovery"];
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
