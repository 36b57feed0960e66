import { keyedMap, type KeyedMap } from "@fairlead/contract";
import { expect, test } from "vitest";
import { initialRpc, type RpcState, type RpcId } from "./json-rpc.ts";
import {
  cancelRepeatedRequest,
  takePendingDecision,
  withdrawDecision,
  createRpcRequest,
  receiveRpcMessage,
} from "./rpc-requests.ts";
import { TransitionWriter } from "./transition-writer.ts";

interface OpenRequest {
  readonly id: RpcId;
  readonly call: string;
}

interface State {
  readonly rpc: RpcState;
  readonly pendingDecisions: KeyedMap<OpenRequest> | Readonly<Record<string, OpenRequest>>;
}

const createWriter = (pendingDecisions: State["pendingDecisions"] = {}): TransitionWriter<State> =>
  new TransitionWriter<State>({ rpc: initialRpc, pendingDecisions });

test("returns a response with the tag of its request, once", () => {
  const writer = createWriter();
  const effect = createRpcRequest(writer, "turn/start", { text: "Hello." }, "a greeting");
  expect(effect).toEqual({ type: "write", text: '{"id":1,"method":"turn/start","params":{"text":"Hello."}}\n' });
  const response = '{"id":1,"result":{}}';
  expect(receiveRpcMessage(writer, response)).toEqual({
    kind: "result",
    method: "turn/start",
    about: "a greeting",
    result: {},
  });
  expect(receiveRpcMessage(writer, response)).toBeNull();
});

test("takes a pending decision once", () => {
  const writer = createWriter({ d: { id: 7, call: "c" }, e: { id: 8, call: "f" } });
  expect(takePendingDecision(writer, "d")).toEqual({ id: 7, call: "c" });
  expect(takePendingDecision(writer, "d")).toBeUndefined();
  expect(keyedMap.entries(writer.state.pendingDecisions).map(([decision]) => decision)).toEqual(["e"]);
});

test("cancels a decision that the agent withdraws, unless it was answered", () => {
  const writer = createWriter({ d: { id: 7, call: "c" }, e: { id: 8, call: "f" } });
  takePendingDecision(writer, "d");
  withdrawDecision(writer, 7);
  expect(writer.transition.events).toEqual([]);
  withdrawDecision(writer, 8);
  expect(writer.transition.events).toEqual([
    { type: "decision.resolved", decision: "e", outcome: "canceled", by: { kind: "agent" } },
  ]);
  expect(keyedMap.size(writer.state.pendingDecisions)).toBe(0);
});

test("cancels the open decision when the agent repeats the id of its request", () => {
  const writer = createWriter({ d: { id: 7, call: "c" }, e: { id: "7", call: "f" } });
  expect(cancelRepeatedRequest(writer, 8)).toBe(false);
  expect(writer.transition.events).toEqual([]);
  expect(cancelRepeatedRequest(writer, 7)).toBe(true);
  expect(writer.transition.events).toMatchObject([
    { type: "status.reported", level: "warning" },
    { type: "decision.resolved", decision: "d", outcome: "canceled", by: { kind: "runtime" } },
  ]);
  expect(keyedMap.entries(writer.state.pendingDecisions).map(([decision]) => decision)).toEqual(["e"]);
});
