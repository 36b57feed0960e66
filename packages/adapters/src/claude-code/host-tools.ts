import { toolServerName, type ToolOffer, type ToolResultObservation } from "@fairlead/contract";
import { callDenied, findUndecidedCall, type TransitionWriter } from "@fairlead/kit";
import { z } from "zod";
import type { ClaudeCodeState } from "./dialect.ts";
import { formatClaudeCodeInput } from "./wire.ts";

type Writer = TransitionWriter<ClaudeCodeState>;

/** A message of the program to a tool server that its client runs: JSON-RPC, in a control request. */
const ServerMessage = z.looseObject({
  server_name: z.literal(toolServerName),
  message: z.looseObject({
    id: z.union([z.string(), z.int()]).optional(),
    method: z.string(),
    params: z.unknown().optional(),
  }),
});

const InitializeParams = z.looseObject({ protocolVersion: z.string() });

const CallParams = z.looseObject({
  name: z.string(),
  arguments: z.unknown().optional(),
  _meta: z.looseObject({ "claudecode/toolUseId": z.string().optional() }).optional(),
});

/** What the dialect stores in the request of a call: the ids of the control request and of the message in it. */
const CallRequest = z.tuple([z.string(), z.union([z.string(), z.int()])]);

/** How the program names a tool that it was offered. */
const toolPrefix = `mcp__${toolServerName}__`;

/** Names an offered tool as it is offered, so that the journal and a rule have the same name for every agent. */
export const withoutToolServer = (name: string): string =>
  name.startsWith(toolPrefix) ? name.slice(toolPrefix.length) : name;

/** Reports whether a call is of a tool that was offered. The session's policy decides about it when it is called. */
export const isClaudeCodeHostTool = (tools: readonly ToolOffer[], name: string): boolean =>
  tools.some((tool) => `${toolPrefix}${tool.name}` === name);

/** The field of the first request that offers the tools. */
export const offerClaudeCodeTools = (tools: readonly ToolOffer[]): object =>
  tools.length === 0 ? {} : { sdkMcpServers: [toolServerName] };

/** Handles a message to the tool server. Returns false if it is not known. */
export function handleClaudeCodeToolMessage(
  writer: Writer,
  tools: readonly ToolOffer[],
  id: string,
  request: unknown,
): boolean {
  const { data } = ServerMessage.safeParse(request);
  if (data === undefined) return false;
  const { id: messageId, method, params } = data.message;
  const reply = (content: object): true => {
    const response = { jsonrpc: "2.0", id: messageId ?? 0, ...content };
    writer.effect({ type: "write", text: formatClaudeCodeInput.result(id, { mcp_response: response }) });
    return true;
  };
  // The program waits for a response to a notification, too.
  if (messageId === undefined) return reply({ result: {} });
  switch (method) {
    case "initialize": {
      const protocolVersion = InitializeParams.safeParse(params).data?.protocolVersion ?? "2025-06-18";
      const serverInfo = { name: toolServerName, version: "1" };
      return reply({ result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
    }
    case "ping":
      return reply({ result: {} });
    case "tools/list":
      return reply({ result: { tools: tools.map(toMcpTool) } });
    case "tools/call": {
      const call = CallParams.safeParse(params).data;
      if (call === undefined) return reply({ error: { code: -32_602, message: "The parameters are invalid." } });
      const { name: tool, arguments: input = {}, _meta: meta } = call;
      // Older versions do not name the call.
      const named = meta?.["claudecode/toolUseId"];
      const callId = named ?? findUndecidedCall(writer.state.calls, tool, input) ?? "";
      writer.effect({ type: "use", request: JSON.stringify([id, messageId]), call: callId, tool, input });
      return true;
    }
    default:
      return reply({ error: { code: -32_601, message: "This server does not support the method." } });
  }
}

/** Sends the result of a tool to the program. */
export function answerClaudeCodeTool(writer: Writer, { request, call, outcome, text }: ToolResultObservation): void {
  const [id, messageId] = CallRequest.parse(JSON.parse(request));
  if (outcome === "denied") callDenied(writer, call);
  const result = { content: [{ type: "text", text }], isError: outcome !== "done" };
  const response = { jsonrpc: "2.0", id: messageId, result };
  writer.effect({ type: "write", text: formatClaudeCodeInput.result(id, { mcp_response: response }) });
}

/** The program hides tools from its model until the model searches for them, unless they are always loaded. */
const toMcpTool = ({ name, description, inputSchema, readOnly }: ToolOffer): object => ({
  name,
  description,
  inputSchema,
  _meta: { "anthropic/alwaysLoad": true },
  ...(readOnly && { annotations: { readOnlyHint: true } }),
});
