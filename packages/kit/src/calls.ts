import type { EventOf } from "@fairlead/contract";
import type { StepWriter } from "./step-writer.ts";

/** A tool call that is open. */
export interface OpenCall {
  readonly name: string;
  /** As it was asked for, or as it runs if somebody changed it. */
  readonly input: unknown;
  /** Whether it has been said that it started. */
  readonly started: boolean;
  readonly denied?: true;
}

export type Calls = Readonly<Record<string, OpenCall>>;

/** What came of a call; it went well if there is no reason why not. */
export interface CallResult {
  readonly output: string;
  readonly reason: EventOf<"tool.ended">["reason"];
}

interface HasCalls {
  readonly calls: Calls;
}

export function callRequested<State extends HasCalls>(
  writer: StepWriter<State>,
  request: Omit<EventOf<"tool.requested">, "type">,
): void {
  const { call, name, input } = request;
  const calls = { ...writer.state.calls, [call]: { name, input, started: false } };
  writer.state = { ...writer.state, calls };
  writer.event({ type: "tool.requested", ...request });
}

/** Says once that a call is running; with another input than it was asked for, if somebody changed it. */
export function callStarted<State extends HasCalls>(writer: StepWriter<State>, call: string, edited?: unknown): void {
  const open = writer.state.calls[call];
  if (open === undefined || open.started) return;
  change(writer, call, { ...open, input: edited ?? open.input, started: true });
  writer.event({ type: "tool.started", call });
}

/** Remembers that somebody denied a call: the failure that comes of it is the denial. */
export function callDenied<State extends HasCalls>(writer: StepWriter<State>, call: string): void {
  const open = writer.state.calls[call];
  if (open !== undefined) change(writer, call, { ...open, denied: true });
}

/** The call that is meant by an agent which does not say, but asks about one of these. */
export function callAskedAbout(calls: Calls, name: string, input: unknown): string | undefined {
  const wanted = JSON.stringify(input);
  const possible = Object.entries(calls).filter(([, open]) => open.name === name && !open.started && !open.denied);
  return (possible.find(([, open]) => JSON.stringify(open.input) === wanted) ?? possible[0])?.[0];
}

/** Ends a call that is open. An agent that does not say when a tool starts has at least run what it has a result of. */
export function callEnded<State extends HasCalls>(writer: StepWriter<State>, call: string, result: CallResult): void {
  const open = writer.state.calls[call];
  if (open === undefined) return;
  const ended = result.reason === "failed" && open.denied ? "denied" : result.reason;
  const ok = ended === undefined;
  if (ok || ended === "failed") callStarted(writer, call);
  const { [call]: _, ...calls } = writer.state.calls;
  writer.state = { ...writer.state, calls };
  const reason = ended === undefined ? {} : { reason: ended };
  writer.event({ type: "tool.ended", call, name: open.name, ok, output: result.output, ...reason });
}

function change<State extends HasCalls>(writer: StepWriter<State>, call: string, open: OpenCall): void {
  writer.state = { ...writer.state, calls: { ...writer.state.calls, [call]: open } };
}
