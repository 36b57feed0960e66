import type { ToolOffer, ToolResultObservation } from "@fairlead/contract";
import { callDenied, jsonLine, type RpcId, type TransitionWriter } from "@fairlead/kit";
import { z } from "zod";
import type { CodexState } from "./dialect.ts";

type Writer = TransitionWriter<CodexState>;

/** The request of Codex for a tool that its client runs. */
const ToolCall = z.looseObject({ callId: z.string(), tool: z.string(), arguments: z.unknown() });

const toolMethod = "item/tool/call";

/** The parameters of a new thread that offer the tools. Codex keeps them with the thread, also for a resume. */
export const offerCodexTools = (tools: readonly ToolOffer[]): object =>
  tools.length === 0
    ? {}
    : {
        dynamicTools: tools.map(({ name, description, inputSchema }) => ({
          type: "function",
          name,
          description,
          inputSchema,
        })),
      };

/** Handles a request for a tool. Returns false if the request is another one. */
export function useCodexTool(writer: Writer, id: RpcId, method: string, params: unknown): boolean {
  const call = method === toolMethod ? ToolCall.safeParse(params).data : undefined;
  if (call === undefined) return false;
  const { callId, tool, arguments: input } = call;
  writer.effect({ type: "use", request: JSON.stringify(id), call: callId, tool, input });
  return true;
}

const ResultItems = z.array(z.looseObject({ text: z.string().default("") }));

/** Returns the text of a tool's result, as Codex repeats it. Null for a call of another tool. */
export function textOfCodexResult(items: unknown): string | null {
  return (
    ResultItems.safeParse(items)
      .data?.map(({ text }) => text)
      .join("") ?? null
  );
}

/** Sends the result of a tool to Codex. */
export function answerCodexTool(writer: Writer, { request, call, outcome, text }: ToolResultObservation): void {
  const id = JSON.parse(request) as RpcId;
  if (outcome === "denied") callDenied(writer, call);
  const result = { contentItems: [{ type: "inputText", text }], success: outcome === "done" };
  writer.effect({ type: "write", text: jsonLine({ id, result }) });
}
