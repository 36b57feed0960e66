import { createHash, randomUUID } from "node:crypto";
import type { CommandOptions, StartRequest } from "@fairlead/api";
import { type ErrorCode, FairleadError } from "@fairlead/contract";
import type { WorkQueue } from "@fairlead/engine";
import { scopeKey } from "@fairlead/service";
import { toSentOptions } from "../method-call.ts";
import { startJobKind, StartOutcome, type StartJob } from "../start-job.ts";

export interface StartInPoolOptions {
  readonly queue: WorkQueue;
  readonly pool: string;
  /** Milliseconds that a start waits for a host with room. */
  readonly timeout: number;
  readonly signal: AbortSignal;
  /** Sends the prompt of a start to the host that has the session, with the key of the start. */
  readonly send: (session: string, prompt: string, options: CommandOptions) => Promise<unknown>;
}

/** The share of the timeout in which a host must begin a start. The rest is for the start itself. */
const beginShare = 0.75;
/** Codes of problems after which the same start may succeed. */
const transientCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "unavailable",
  "fenced",
  "timed-out",
  "corrupt",
  "indeterminate",
  "not-allowed",
]);

/**
 * Puts a start into the queue of a pool, and returns the id of the session that a host has started. No host begins it after the
 * caller has given up. A caller that repeats it with its key gets the same session, also if another host has it now.
 */
export async function startInPool(
  request: StartRequest,
  command: CommandOptions,
  { queue, pool, timeout, signal, send }: StartInPoolOptions,
): Promise<string> {
  const key = command.key ?? randomUUID();
  const expiresAt = new Date(Date.now() + beginShare * timeout).toISOString();
  const digest = createHash("sha256")
    .update(JSON.stringify(sortKeys(request)))
    .digest("hex");
  const job: StartJob = { id: randomUUID(), request, digest, options: { ...toSentOptions(command), key }, expiresAt };
  const late = AbortSignal.timeout(timeout);
  const stop = AbortSignal.any([signal, late, ...(command.signal ? [command.signal] : [])]);
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await queue
      .put(pool, { kind: startJobKind, params: job }, `start ${attempt} ${scopeKey(key, command.caller)}`, stop)
      .catch((error: unknown) => {
        if (late.aborted && error === late.reason) throw noRoom(pool);
        throw error;
      });
    const {
      job: done,
      session,
      problem,
      isPromptUnknown = false,
      digest: begun = digest,
    } = StartOutcome.parse(outcome);
    if (begun !== digest) throw new FairleadError("conflict", "The idempotency key was used for another start.");
    if (session !== undefined) {
      if (isPromptUnknown && request.prompt !== undefined)
        await send(session, request.prompt, { ...command, key }).catch(ignoreSent);
      return session;
    }
    const { code, message } = problem ?? { code: "unavailable", message: "The host did not say what it started." };
    // The outcome of an earlier call with this key is not one of this call if it was not final.
    if (done === job.id || !transientCodes.has(code)) throw new FairleadError(code, message);
  }
}

/** A host that does the start itself refuses its key for another command. A session that has ended was still started. */
function ignoreSent(error: unknown): void {
  if (!FairleadError.is(error, "conflict") && !FairleadError.is(error, "session-ended")) throw error;
}

function noRoom(pool: string): FairleadError {
  const reason = `No host of the pool ${pool} has room: all are full, or none has joined.`;
  const next = `Stop or pause a session, or start a host with \`fairlead host join --pool ${pool}\`, and try again.`;
  return new FairleadError("unavailable", `${reason} ${next}`);
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, field]) => [name, sortKeys(field)]),
  );
}
