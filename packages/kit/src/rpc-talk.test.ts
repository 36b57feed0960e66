import { expect, test } from "vitest";
import { quietRpc, type Rpc, type RpcId } from "./json-rpc.ts";
import { askClosed, askWithdrawn, rpcAsked, rpcHeard } from "./rpc-talk.ts";
import { StepWriter } from "./step-writer.ts";

interface State {
  readonly rpc: Rpc;
  readonly asks: Readonly<Record<string, { readonly id: RpcId; readonly call: string }>>;
}

const writing = (asks: State["asks"] = {}): StepWriter<State> => new StepWriter<State>({ rpc: quietRpc, asks });

test("an answer comes with what was asked, once", () => {
  const writer = writing();
  const said = rpcAsked(writer, "turn/start", { text: "Hello." }, "a greeting");
  expect(said).toEqual({ type: "say", text: '{"id":1,"method":"turn/start","params":{"text":"Hello."}}\n' });
  const answer = '{"id":1,"result":{}}';
  expect(rpcHeard(writer, answer)).toEqual({ kind: "result", method: "turn/start", about: "a greeting", result: {} });
  expect(rpcHeard(writer, answer)).toBeNull();
});

test("a decision is answered once", () => {
  const writer = writing({ d: { id: 7, call: "c" }, e: { id: 8, call: "f" } });
  expect(askClosed(writer, "d")).toEqual({ id: 7, call: "c" });
  expect(askClosed(writer, "d")).toBeUndefined();
  expect(Object.keys(writer.state.asks)).toEqual(["e"]);
});

test("what the agent withdraws is cancelled, and what was answered is not", () => {
  const writer = writing({ d: { id: 7, call: "c" }, e: { id: 8, call: "f" } });
  askClosed(writer, "d");
  askWithdrawn(writer, 7);
  expect(writer.step.events).toEqual([]);
  askWithdrawn(writer, 8);
  expect(writer.step.events).toEqual([{ type: "decision.resolved", decision: "e", outcome: "canceled", by: "agent" }]);
  expect(writer.state.asks).toEqual({});
});
