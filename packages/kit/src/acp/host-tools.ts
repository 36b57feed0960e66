import type { ToolOffer, ToolResultObservation } from "@fairlead/contract";
import { z } from "zod";
import { callDenied } from "../calls.ts";
import { jsonLine } from "../json-line.ts";
import type { RpcId } from "../json-rpc.ts";
import type { AcpWriter } from "./acp-state.ts";

/**
 * An extension of the protocol for tools that the client runs: the request that opens a session has the tools in its
 * `_meta`, and the agent calls one by a request. Other agents ignore both.
 */
const toolsField = "fairlead/tools";
export const useToolMethod = "_fairlead/use_tool";

const UseToolParams = z.looseObject({ toolCallId: z.string(), name: z.string(), input: z.unknown() });

/** The fields of a session request that offer the tools. */
export const offerAcpTools = (tools: readonly ToolOffer[]): object =>
  tools.length === 0 ? {} : { _meta: { [toolsField]: tools } };

/** Handles a request for a tool. Returns false if it cannot be read. */
export function useAcpTool(writer: AcpWriter, id: RpcId, params: unknown): boolean {
  const { data } = UseToolParams.safeParse(params);
  if (data === undefined) return false;
  const { toolCallId: call, name: tool, input } = data;
  writer.effect({ type: "use", request: JSON.stringify(id), call, tool, input });
  return true;
}

/** Sends the result of a tool to the agent. */
export function answerAcpTool(writer: AcpWriter, { request, call, outcome, text }: ToolResultObservation): void {
  if (outcome === "denied") callDenied(writer, call);
  const id = JSON.parse(request) as RpcId;
  writer.effect({ type: "write", text: jsonLine({ jsonrpc: "2.0", id, result: { outcome, text } }) });
}
