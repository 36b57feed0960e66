import type { Effect } from "@fairlead/contract";
import { rpc, type Rpc, type RpcHeard, type RpcId } from "./json-rpc.ts";
import type { StepWriter } from "./step-writer.ts";

interface HasRpc {
  readonly rpc: Rpc;
}

/** Asks the agent, and remembers having asked. */
export function rpcAsked<State extends HasRpc>(
  writer: StepWriter<State>,
  method: string,
  params: object,
  about = "",
): Effect {
  const asked = rpc.ask(writer.state.rpc, method, params, { about });
  writer.state = { ...writer.state, rpc: asked.rpc };
  return { type: "say", text: asked.text };
}

/** What a line of the agent means, with what was asked if it is an answer. */
export function rpcHeard<State extends HasRpc>(writer: StepWriter<State>, line: string): RpcHeard | null {
  const { rpc: after, heard } = rpc.hear(writer.state.rpc, line);
  writer.state = { ...writer.state, rpc: after };
  return heard;
}

interface Ask {
  readonly id: RpcId;
}

interface HasAsks<Open extends Ask> {
  /** Requests of the agent that a person has to decide upon, by the names of the decisions. */
  readonly asks: Readonly<Record<string, Open>>;
}

/** The request behind a decision that is being answered, which is not open any more; undefined if it was not. */
export function askClosed<Open extends Ask, State extends HasAsks<Open>>(
  writer: StepWriter<State & HasAsks<Open>>,
  decision: string,
): Open | undefined {
  const { [decision]: asked, ...asks } = writer.state.asks;
  if (asked !== undefined) writer.state = { ...writer.state, asks };
  return asked;
}

/** The agent does not want an answer to its request any more. One that was answered is not open, so this says nothing. */
export function askWithdrawn<Open extends Ask, State extends HasAsks<Open>>(
  writer: StepWriter<State & HasAsks<Open>>,
  id: RpcId | undefined,
): void {
  const decision = Object.entries(writer.state.asks).find(([, asked]) => asked.id === id)?.[0];
  if (decision === undefined) return;
  askClosed(writer, decision);
  writer.event({ type: "decision.resolved", decision, outcome: "canceled", by: "agent" });
}
