import { capabilitiesOf, FairleadError, isOpen, type Command, type Manifest } from "@fairlead/contract";
import type { SessionState } from "@fairlead/reducer";
import type { SessionActor } from "../actor/session-actor.ts";

export interface LeaveOptions {
  readonly signal?: AbortSignal;
  /** Waits until few enough sessions leave. Does nothing if this one may leave already. */
  readonly takePlace: () => Promise<void>;
  /** Lets another session leave, because this one waits for its turn to end. */
  readonly returnPlace: () => void;
}

/** What of a session leaves its host. */
interface LeavingSession {
  readonly id: string;
  readonly actor: Pick<SessionActor, "state" | "manifest" | "waitUntil" | "imageWriter">;
  readonly submit: (command: Command) => Promise<unknown>;
}

/**
 * Pauses a session as `moved` once its turn has ended, and stores what another host needs to continue it. Throws
 * `session-paused` or `session-ended` if no agent of it runs any more, `conflict` if its agent could not be started again, and
 * the signal's reason when it aborts. A session that has not paused by then continues as if it had not been asked.
 */
export async function leaveHost(
  { id, actor, submit }: LeavingSession,
  { signal, takePlace, returnPlace }: LeaveOptions,
): Promise<void> {
  const isPaused = (): boolean => isOpen(actor.state.ledger, "pause");
  const isBusy = (): boolean => isOpen(actor.state.ledger, "turn") || isOpen(actor.state.ledger, "lead");
  assertMayLeave(id, actor.state, actor.manifest);
  if (!isBusy()) await takePlace();
  if (isBusy()) returnPlace();
  if (!isPaused()) await submit({ type: "pause", leaves: true });
  await actor.waitUntil(() => actor.state.ledger.over || isPaused(), signal);
  // Now, because the turn may end before a process attaches to the session again. That one withdraws it if this fails.
  if (signal?.aborted === true) await withdrawLeave(actor.state, submit).catch(() => {});
  signal?.throwIfAborted();
  assertMayLeave(id, actor.state, actor.manifest);
  await takePlace();
  await actor.imageWriter?.writeNow();
}

/** Has a session stay that was to leave and has not paused. Otherwise its agent would be ended and started again for nothing. */
export async function withdrawLeave(
  { leaving, ledger }: SessionState,
  submit: LeavingSession["submit"],
): Promise<void> {
  // A paused session forgets it when it is resumed.
  if (leaving && !ledger.over && !isOpen(ledger, "pause")) await submit({ type: "resume", stays: true });
}

/**
 * Throws `session-ended` or `session-paused` if no agent of a session runs that could leave its host, and `conflict` if the agent
 * cannot be resumed: it would neither continue on the next host nor, if no host takes the session, on this one.
 */
function assertMayLeave(
  session: string,
  { ledger, stoppedFor, opening }: Pick<SessionState, "ledger" | "stoppedFor" | "opening">,
  manifest: Manifest,
): void {
  if (ledger.over) throw new FairleadError("session-ended", `Session ${session} has ended.`);
  if (isOpen(ledger, "pause") && stoppedFor !== "moved")
    throw new FairleadError("session-paused", `Session ${session} is paused.`);
  const { version = null, flags } = opening?.probeResult ?? {};
  const { messages = "conversation" } = manifest;
  if (messages !== "conversation" || capabilitiesOf(manifest, version, flags).includes("resume")) return;
  const message = `${manifest.label} cannot continue a conversation in another process.`;
  throw new FairleadError("conflict", message);
}
