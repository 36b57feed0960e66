import type { EventOf } from "@fairlead/contract";
import type { StepWriter } from "./step-writer.ts";

/** Tool calls that are open, and whether it has been said that they started. */
export type Calls = Readonly<Record<string, { readonly name: string; readonly started: boolean }>>;

interface HasCalls {
  readonly calls: Calls;
}

export function callRequested<State extends HasCalls>(
  writer: StepWriter<State>,
  request: Omit<EventOf<"tool.requested">, "type">,
): void {
  const calls = { ...writer.state.calls, [request.call]: { name: request.name, started: false } };
  writer.state = { ...writer.state, calls };
  writer.event({ type: "tool.requested", ...request });
}

/** Says once that a call is running. */
export function callStarted<State extends HasCalls>(writer: StepWriter<State>, call: string): void {
  const open = writer.state.calls[call];
  if (open === undefined || open.started) return;
  writer.state = { ...writer.state, calls: { ...writer.state.calls, [call]: { ...open, started: true } } };
  writer.event({ type: "tool.started", call });
}

/** Ends a call that is open. An agent that does not say when a tool starts has at least run what it has a result of. */
export function callEnded<State extends HasCalls>(
  writer: StepWriter<State>,
  call: string,
  result: { readonly output: string; readonly reason: EventOf<"tool.ended">["reason"] },
): void {
  const open = writer.state.calls[call];
  if (open === undefined) return;
  const ok = result.reason === undefined;
  if (ok || result.reason === "failed") callStarted(writer, call);
  const { [call]: _, ...calls } = writer.state.calls;
  writer.state = { ...writer.state, calls };
  const reason = result.reason === undefined ? {} : { reason: result.reason };
  writer.event({ type: "tool.ended", call, name: open.name, ok, output: result.output, ...reason });
}
