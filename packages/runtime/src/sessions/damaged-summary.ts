import { noSandbox } from "@fairlead/keeper";
import { pickSandboxChoice } from "../sandbox/compute-sandbox.ts";
import type { SessionSummary } from "./session-summary.ts";

/** What is known of a session whose journal cannot be read as a whole. */
export interface DamagedSessionFacts {
  readonly session: string;
  /** Its last summary that could be read, if there is one. */
  readonly known: SessionSummary | undefined;
  readonly problem: string;
  /** The end of the session, if it is known in spite of the damage. */
  readonly end: { readonly reason: string; readonly at: string } | null;
  /** When the session's files last changed. */
  readonly lastAt: string;
}

/** Summarizes a session whose journal is damaged, so that it can be listed, stopped and removed. */
export function damagedSummary({ session, known, problem, end, lastAt }: DamagedSessionFacts): SessionSummary {
  const summary = known ?? unknownSummary(session, lastAt);
  const since = end?.at ?? summary.lastAt;
  return {
    ...summary,
    state: end === null ? "damaged" : "ended",
    reason: end?.reason ?? null,
    problem,
    since,
    lastAt: since,
    waitingFor: [],
  };
}

function unknownSummary(session: string, lastAt: string): SessionSummary {
  return {
    session,
    name: null,
    agentVersion: null,
    protocol: "",
    agent: "unknown",
    workspace: "",
    room: null,
    mode: "default",
    model: null,
    state: "damaged",
    problem: null,
    pauseReason: null,
    pausedUntil: null,
    limits: null,
    since: lastAt,
    lead: "agent",
    containment: null,
    sandbox: pickSandboxChoice(noSandbox),
    reason: null,
    agentSessionId: null,
    continues: null,
    title: "",
    turns: 0,
    lastOutcome: null,
    queued: 0,
    last: 0,
    waitingFor: [],
    startedAt: lastAt,
    lastAt,
    cost: null,
  };
}
