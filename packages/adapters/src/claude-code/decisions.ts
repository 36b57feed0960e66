import { emptyKeyedMap, keyedMap } from "@fairlead/contract";
import type { AgentAnswer, EventOf, KeyedMap, ToolOffer } from "@fairlead/contract";
import { agentTurnStarted, callDenied, callStarted, findUndecidedCall, type TransitionWriter } from "@fairlead/kit";
import type { ClaudeCodeState } from "./dialect.ts";
import { toClaudeCodePrompt } from "./tools.ts";
import { ClaudeCodeHookInput, toClaudeCodeHookResult } from "./every-call.ts";
import { handleClaudeCodeToolMessage, isClaudeCodeHostTool } from "./host-tools.ts";
import { formatClaudeCodeInput, type ClaudeCodeMessageOf } from "./wire.ts";

type Writer = TransitionWriter<ClaudeCodeState>;

/** An open decision: the call, and the input in the request. */
export interface PendingDecision {
  readonly call: string;
  readonly input: object;
  /** Set if the program asks by its hook, before it applies its own rules. Its own question follows. */
  readonly isHook?: true;
  /** The event that requested it, for a request that must be repeated. Missing in older snapshots. */
  readonly request?: Omit<EventOf<"decision.requested">, "input">;
}

/** The part of the state that decisions need. */
export interface ClaudeCodeDecisions {
  readonly pendingDecisions: KeyedMap<PendingDecision>;
  /** The inputs of calls that were allowed at the hook, by call. The program's own question is answered with them. */
  readonly allowedInputs?: KeyedMap<object>;
}

export const noClaudeCodeDecisions = {
  pendingDecisions: emptyKeyedMap,
  allowedInputs: emptyKeyedMap,
} satisfies ClaudeCodeDecisions;

/** The tool that asks a person. Its own question has the options, so that the hook shows none. */
const questionTool = "AskUserQuestion";

/** Handles a request of the program. Returns false if it is not known. */
export function handleClaudeCodeRequest(
  writer: Writer,
  message: ClaudeCodeMessageOf<"control_request">,
  tools: readonly ToolOffer[],
): boolean {
  const { request_id: id, request } = message;
  if (request.subtype === "mcp_message" && handleClaudeCodeToolMessage(writer, tools, id, request)) return true;
  if (request.subtype === "can_use_tool") {
    const { tool_name: tool = "", input = {}, description = tool } = request;
    if (isClaudeCodeHostTool(tools, tool)) return reply(writer, id, { behavior: "allow", updatedInput: input });
    const call = request.tool_use_id ?? findUndecidedCall(writer.state.calls, tool, input) ?? "";
    return answerAllowed(writer, id, call) || requestDecision(writer, id, { tool, call, input, description });
  }
  if (request.subtype === "hook_callback") return handleHook(writer, id, request.input, tools);
  const text = formatClaudeCodeInput.controlError(id, "This client does not support the request.");
  writer.effect({ type: "write", text });
  return false;
}

function handleHook(writer: Writer, id: string, hookInput: unknown, tools: readonly ToolOffer[]): boolean {
  const { data } = ClaudeCodeHookInput.safeParse(hookInput);
  const answer = (permissionDecision: "allow" | "ask" | "deny"): true =>
    reply(writer, id, toClaudeCodeHookResult({ permissionDecision }));
  // The program would run the call after any other answer than these.
  if (data === undefined) return !answer("deny");
  if (data.tool_name === questionTool) return answer("ask");
  // The policy decides about it when the program calls it.
  if (isClaudeCodeHostTool(tools, data.tool_name)) return answer("allow");
  const { tool_name: tool, tool_input: input, tool_use_id: call } = data;
  return requestDecision(writer, id, { tool, call, input, description: describeInput(tool, input), isHook: true });
}

function reply(writer: Writer, id: string, response: object): true {
  writer.effect({ type: "write", text: formatClaudeCodeInput.result(id, response) });
  return true;
}

interface RequestedCall extends Pick<PendingDecision, "call" | "input" | "isHook"> {
  readonly tool: string;
  readonly description: string;
}

function requestDecision(writer: Writer, decision: string, requested: RequestedCall): boolean {
  const { tool, call, input, description, isHook } = requested;
  // A second request must not replace the one that was shown. A reply to it would answer both.
  if (keyedMap.get(writer.state.pendingDecisions, decision) !== undefined) {
    writer.warn("The agent sent a second request with the id of an open one. The second was refused.");
    return false;
  }
  // An agent that was started in the background also asks after the turn.
  if (writer.state.current === null) agentTurnStarted(writer);
  const prompt = toClaudeCodePrompt(tool, input, description);
  const request = { type: "decision.requested", decision, call, tool, ...prompt } as const;
  const pending: PendingDecision = { call, input, request, ...(isHook && { isHook }) };
  writer.set({ pendingDecisions: keyedMap.set(writer.state.pendingDecisions, decision, pending) });
  writeRequest(writer, pending);
  return true;
}

/** Answers the program's own question about a call that was allowed at the hook, so that it is asked once. */
function answerAllowed(writer: Writer, id: string, call: string): boolean {
  const { allowedInputs = emptyKeyedMap } = writer.state;
  const updatedInput = keyedMap.get(allowedInputs, call);
  if (updatedInput === undefined) return false;
  writer.set({ allowedInputs: keyedMap.remove(allowedInputs, call) });
  return reply(writer, id, { behavior: "allow", updatedInput });
}

/** Answers an open decision. `interrupt` ends the turn. */
export function answerClaudeCodeDecision(
  writer: Writer,
  { decision, answer, shown }: AgentAnswer,
  interrupt: (writer: Writer) => void,
): void {
  const pending = keyedMap.get(writer.state.pendingDecisions, decision);
  if (pending === undefined) return;
  writer.set({ pendingDecisions: keyedMap.remove(writer.state.pendingDecisions, decision) });
  const { call, isHook = false } = pending;
  const respond = (permission: object, hook: object): void =>
    void reply(writer, decision, isHook ? toClaudeCodeHookResult(hook) : permission);
  if (answer.type === "deny") {
    callDenied(writer, call);
    const { message, interrupt: isInterrupt } = answer;
    // A hook cannot end the turn. The interrupt also refuses the call.
    if (isInterrupt && isHook) return interrupt(writer);
    if (isInterrupt) writer.set({ interrupting: true });
    return respond(
      { behavior: "deny", message, interrupt: isInterrupt },
      { permissionDecision: "deny", permissionDecisionReason: message },
    );
  }
  // The program runs this input, so it must be the one that was shown.
  const shownInput = (shown as object | undefined) ?? pending.input;
  const updatedInput =
    answer.type === "choose"
      ? { ...shownInput, answers: answer.answers }
      : ((answer.input as object | undefined) ?? shownInput);
  callStarted(writer, call, updatedInput);
  if (isHook)
    writer.set({ allowedInputs: keyedMap.set(writer.state.allowedInputs ?? emptyKeyedMap, call, updatedInput) });
  // Not `allow`: then the input of a hook in the user's settings would run, and not the one that was shown.
  respond({ behavior: "allow", updatedInput }, { permissionDecision: "ask", updatedInput });
}

/** Handles the program's message that it no longer waits for an answer. */
export function cancelClaudeCodeDecision(writer: Writer, decision: string): void {
  if (keyedMap.get(writer.state.pendingDecisions, decision) === undefined) return;
  writer
    .set({ pendingDecisions: keyedMap.remove(writer.state.pendingDecisions, decision) })
    .event({ type: "decision.resolved", decision, outcome: "canceled", by: { kind: "agent" } });
}

/** Requests decisions again that were open when their turn ended: agents in the background still wait for an answer. */
export function requestClaudeCodeDecisionsAgain(writer: Writer, open: KeyedMap<PendingDecision>): void {
  for (const [decision, pending] of keyedMap.entries(open)) {
    if (pending.request === undefined) continue;
    if (writer.state.current === null) agentTurnStarted(writer);
    writer.set({ pendingDecisions: keyedMap.set(writer.state.pendingDecisions, decision, pending) });
    writeRequest(writer, pending);
  }
}

function writeRequest(writer: Writer, { request, input }: PendingDecision): void {
  if (request === undefined) return;
  const { type, decision, call, tool, ...prompt } = request;
  writer.event({ type, decision, call, tool, input, ...prompt });
}

/** The hook does not describe a call, as the program's own question does. */
function describeInput(tool: string, input: Readonly<Record<string, unknown>>): string {
  const texts = [input["description"], input["command"], input["file_path"], input["url"]];
  return texts.find((text) => typeof text === "string") ?? tool;
}
