import { emptyKeyedMap, keyedMap, type EventOf, type KeyedMap } from "@fairlead/contract";
import type { TransitionWriter } from "./transition-writer.ts";

/** An open tool call. */
export interface OpenCall {
  readonly name: string;
  /** The requested input, or the edited input with which the call runs. */
  readonly input: unknown;
  /** Whether `tool.started` was written. */
  readonly started: boolean;
  /** Whether a caller denied the call. */
  readonly denied?: true;
}

/** The open calls of a turn, by id. Part of a dialect's state. */
export type Calls = KeyedMap<OpenCall>;

/** The calls of a turn that has just begun. */
export const noCalls: Calls = emptyKeyedMap;

/** Result of a call. The call succeeded if there is no reason. */
export interface CallResult {
  readonly output: string;
  readonly reason: EventOf<"tool.ended">["reason"];
}

interface HasCalls {
  readonly calls: Calls;
}

/** Opens a call and writes `tool.requested`. */
export function callRequested<State extends HasCalls>(
  writer: TransitionWriter<State>,
  request: Omit<EventOf<"tool.requested">, "type">,
): void {
  const { call, name, input } = request;
  const calls = keyedMap.set(writer.state.calls, call, { name, input, started: false });
  writer.state = { ...writer.state, calls };
  writer.event({ type: "tool.requested", ...request });
}

/** Writes `tool.started` once per call. `editedInput` replaces the requested input. */
export function callStarted<State extends HasCalls>(
  writer: TransitionWriter<State>,
  call: string,
  editedInput?: unknown,
): void {
  const open = keyedMap.get(writer.state.calls, call);
  if (open === undefined || open.started) return;
  updateCall(writer, call, { ...open, input: editedInput ?? open.input, started: true });
  writer.event({ type: "tool.started", call });
}

/** Writes `tool.progressed` for an open call, and `tool.started` before it. Ignores progress of any other call. */
export function callProgressed<State extends HasCalls>(
  writer: TransitionWriter<State>,
  call: string,
  progress: Pick<EventOf<"tool.progressed">, "output" | "elapsedSeconds">,
): void {
  if (keyedMap.get(writer.state.calls, call) === undefined) return;
  callStarted(writer, call);
  writer.event({ type: "tool.progressed", call, ...progress });
}

/** Marks a call as denied, so that the failure which the agent reports for it ends the call as `denied`. */
export function callDenied<State extends HasCalls>(writer: TransitionWriter<State>, call: string): void {
  const open = keyedMap.get(writer.state.calls, call);
  if (open !== undefined) updateCall(writer, call, { ...open, denied: true });
}

/** Finds the undecided call of a permission request, for agents whose requests do not name the call. */
export function findUndecidedCall(calls: Calls, name: string, input: unknown): string | undefined {
  const inputJson = JSON.stringify(input);
  const candidates = keyedMap.entries(calls).filter(([, open]) => open.name === name && !open.started && !open.denied);
  return (candidates.find(([, open]) => JSON.stringify(open.input) === inputJson) ?? candidates[0])?.[0];
}

/**
 * Ends an open call. Writes `tool.started` first if the call has a result, because some agents do not report the start.
 */
export function callEnded<State extends HasCalls>(
  writer: TransitionWriter<State>,
  call: string,
  result: CallResult,
): void {
  const open = keyedMap.get(writer.state.calls, call);
  if (open === undefined) return;
  const finalReason = result.reason === "failed" && open.denied ? "denied" : result.reason;
  const ok = finalReason === undefined;
  if (ok || finalReason === "failed") callStarted(writer, call);
  writer.state = { ...writer.state, calls: keyedMap.remove(writer.state.calls, call) };
  const reason = finalReason === undefined ? {} : { reason: finalReason };
  writer.event({ type: "tool.ended", call, name: open.name, ok, output: result.output, ...reason });
}

function updateCall<State extends HasCalls>(writer: TransitionWriter<State>, call: string, open: OpenCall): void {
  writer.state = { ...writer.state, calls: keyedMap.set(writer.state.calls, call, open) };
}
