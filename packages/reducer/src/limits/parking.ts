import { isOpen, type AgentEvent } from "@fairlead/contract";
import type { Emitter } from "../emitter.ts";

/** The quotas that are used up, by their window, and when each is reset: null if the agent does not say it. */
export type ExhaustedQuotas = Readonly<Record<string, string | null>>;

/** The name under which an error counts that no report of a quota belongs to. */
const unnamed = "";
/** Vendors report a few windows. */
const maxWindows = 16;

/** Pauses a session that was started with `park` while a quota of the agent's account is used up. */
export const parking = {
  /** Follows an event that was emitted. */
  follow(emitter: Emitter, body: AgentEvent): void {
    if (emitter.state.opening?.park !== true) return;
    if (body.type === "quota.reported") {
      const { window = unnamed, status, resetsAt = null } = body;
      const isExhausted = status === "exhausted";
      // The error before it was about this quota. Without a time, it would leave open when the session continues.
      if (isExhausted && resetsAt !== null && emitter.state.exhaustedQuotas[unnamed] === null)
        setQuota(emitter, unnamed, undefined);
      setQuota(emitter, window, isExhausted ? resetsAt : undefined);
    }
    if (body.type === "error.raised" && body.category === "rate-limited") {
      if (Object.keys(emitter.state.exhaustedQuotas).length === 0)
        setQuota(emitter, unnamed, findResetTime(body.message));
    }
    // Requests were accepted since.
    if (body.type === "turn.ended" && body.outcome === "completed") setQuota(emitter, unnamed, undefined);
    if (body.type === "session.unpaused") emitter.state = { ...emitter.state, exhaustedQuotas: {} };
  },

  /** Whether the agent must stop now. Waits for the end of the turn: the agent may still use what it has got. */
  stopsAgent(emitter: Emitter): boolean {
    const { desiredState, ledger, exhaustedQuotas, opening } = emitter.state;
    const resets = Object.values(exhaustedQuotas);
    if (resets.length === 0 || ledger.over || desiredState !== "run") return false;
    if (isOpen(ledger, "lead") || isOpen(ledger, "turn")) return false;
    const until = latest(resets);
    if (until !== null && Date.parse(until) <= emitter.record.at) {
      emitter.state = { ...emitter.state, exhaustedQuotas: {} };
      return false;
    }
    const then =
      until === null
        ? `The agent does not say until when. Continue with: fairlead resume ${opening?.session} "…"`
        : `The session is paused until ${until}, and then continues.`;
    const message = `The quota of the agent's account is used up. ${then}`;
    emitter.emitOwn({ type: "status.reported", level: "warning", message });
    emitter.state = { ...emitter.state, desiredState: "pause", stoppedFor: "quota" };
    return true;
  },

  /** Returns when the session continues. Null if that is not known. */
  resumesAt: ({ state }: Emitter): string | null => latest(Object.values(state.exhaustedQuotas)),
};

function setQuota(emitter: Emitter, window: string, resetsAt: string | null | undefined): void {
  const { [window]: _, ...others } = emitter.state.exhaustedQuotas;
  const isKept = resetsAt !== undefined && Object.keys(others).length < maxWindows;
  emitter.state = { ...emitter.state, exhaustedQuotas: isKept ? { ...others, [window]: resetsAt } : others };
}

/** The session waits for all quotas. One without a known reset leaves the time open. */
function latest(resets: readonly (string | null)[]): string | null {
  const times = resets.map((reset) => (reset === null ? Number.NaN : Date.parse(reset)));
  const time = Math.max(...times);
  return Number.isFinite(time) ? new Date(time).toISOString() : null;
}

/** Finds the seconds since 1970 that some messages end with: `usage limit reached|1794700800`. */
function findResetTime(message: string): string | null {
  const seconds = /\|(\d{10})\b/.exec(message)?.[1];
  return seconds === undefined ? null : new Date(Number(seconds) * 1000).toISOString();
}
