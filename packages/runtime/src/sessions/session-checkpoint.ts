import { FairleadError, isOpen, openScopes, openTurn, type PermissionMode } from "@fairlead/contract";
import type { Brief, SpendingLimits, Spent } from "@fairlead/contract";
import { spentOf, untoldBrief, type SessionState } from "@fairlead/reducer";
import { pickSandboxChoice, type SandboxChoice } from "../sandbox/compute-sandbox.ts";
import { livenessOf } from "./liveness.ts";
import { redactSettings } from "./secret-settings.ts";

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
  /** What the agent's processes can reach. Missing in older checkpoints, whose sessions have no sandbox. */
  readonly sandbox?: SandboxChoice;
  /** What the session may use in all, and what it has used. Missing without a limit, and in older checkpoints. */
  readonly limits?: SpendingLimits;
  readonly spent?: Spent;
  /** The brief of the session. Missing if it has none, and in older checkpoints. */
  readonly brief?: Brief;
  readonly settings: Record<string, unknown>;
  /** The names of secret settings, which are left out. */
  readonly secretSettings?: string[];
  readonly model: string | null;
  readonly state: string;
  readonly turn: string | null;
  readonly decisions: string[];
  readonly injected: string[];
  /** The texts of the messages that wait for their turns, in order. Missing in older checkpoints. */
  readonly queued?: string[];
}

/**
 * Creates the checkpoint of a session whose newest event has this sequence number. `secretNames` are the adapter's secret
 * settings: an opening of an older version contains their text.
 */
export function createCheckpoint(
  state: SessionState,
  sequence: number,
  now: number,
  secretNames: readonly string[] = [],
): SessionCheckpoint {
  const { opening, ledger, agentSessionId, model, pendingContext, spending, brief } = state;
  const hasLimits = Object.keys(spending.limits).length > 0;
  // The agent may have processed a delivered message, so it is not sent again elsewhere.
  const waiting = state.waitingMessages.filter(({ isDelivered }) => !isDelivered);
  if (opening === null)
    throw new FairleadError("session-not-found", "The session has no checkpoint yet: it is being started.");
  const { session, agent, probeResult, workspace, mode, sandbox } = opening;
  const { settings, removed } = redactSettings(opening.settings, secretNames);
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
    ...(sandbox !== undefined && { sandbox: pickSandboxChoice(sandbox) }),
    ...(hasLimits && { limits: spending.limits, spent: spentOf(spending) }),
    ...(brief.current !== null && { brief: brief.current }),
    settings,
    ...(removed.length > 0 && { secretSettings: removed }),
    model,
    state: ledger.over ? "ended" : isOpen(ledger, "pause") ? "paused" : livenessOf(state, now),
    turn: openTurn(ledger),
    decisions: openScopes(ledger, "decision").map(({ key }) => key),
    injected: [...untoldBrief(state), ...waiting.flatMap(({ context }) => context), ...pendingContext],
    queued: waiting.map(({ text }) => text),
  };
}
