import { isOpen, openTurn, type PermissionMode } from "@fairlead/contract";
import type { FoldState } from "@fairlead/kit";
import { livenessOf } from "./liveness.ts";

/** What it takes to go on with a session, here or where the same conversation is known; it holds no secret. */
export interface Checkpoint {
  readonly schema: "fairlead-checkpoint/2";
  readonly session: string;
  readonly sequence: number;
  readonly takenAt: string;
  readonly agent: string;
  readonly agentVersion: string | null;
  readonly agentSessionId: string | null;
  readonly workspace: string;
  readonly mode: PermissionMode;
  readonly settings: Record<string, unknown>;
  readonly model: string | null;
  readonly state: string;
  readonly turn: string | null;
  readonly decisions: string[];
  readonly injected: string[];
}

/** The checkpoint of a session whose newest event has that number. */
export function checkpointOf(state: FoldState, sequence: number, now: number): Checkpoint {
  const { opening, ledger, agentSessionId, model, injected } = state;
  if (opening === null) throw new TypeError("A spool begins with its opening.");
  const { session, agent: agent, finding, workspace, mode, settings } = opening;
  return {
    schema: "fairlead-checkpoint/2",
    session,
    sequence,
    takenAt: new Date(now).toISOString(),
    agent,
    agentVersion: finding.version,
    agentSessionId,
    workspace,
    mode,
    settings,
    model,
    state: ledger.over ? "ended" : isOpen(ledger, "pause") ? "paused" : livenessOf(state, now),
    turn: openTurn(ledger),
    decisions: ledger.open.filter(({ scope }) => scope === "decision").map(({ key }) => key),
    injected: [...injected],
  };
}
