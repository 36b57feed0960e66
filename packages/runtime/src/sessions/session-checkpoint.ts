import { isOpen, openScopes, openTurn, type PermissionMode } from "@fairlead/contract";
import type { SessionState } from "@fairlead/reducer";
import { livenessOf } from "./liveness.ts";

/** The data that is needed to continue a session, here or where the agent has the same conversation. Has no secrets. */
export interface SessionCheckpoint {
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

/** Creates the checkpoint of a session whose newest event has this sequence number. */
export function createCheckpoint(state: SessionState, sequence: number, now: number): SessionCheckpoint {
  const { opening, ledger, agentSessionId, model, pendingContext } = state;
  if (opening === null) throw new TypeError("The session has no opening: it was not started.");
  const { session, agent, probeResult, workspace, mode, settings } = opening;
  return {
    schema: "fairlead-checkpoint/2",
    session,
    sequence,
    takenAt: new Date(now).toISOString(),
    agent,
    agentVersion: probeResult.version,
    agentSessionId,
    workspace,
    mode,
    settings,
    model,
    state: ledger.over ? "ended" : isOpen(ledger, "pause") ? "paused" : livenessOf(state, now),
    turn: openTurn(ledger),
    decisions: openScopes(ledger, "decision").map(({ key }) => key),
    injected: [...pendingContext],
  };
}
