import type { Answer } from "@fairlead/contract";
import { AgentTokenCount, type RpcId } from "@fairlead/kit";
import { z } from "zod";
import { CodexRateLimits } from "./quota.ts";

/** The messages of `codex app-server` of Codex 0.166: JSON-RPC, one per line. Loose: each release adds fields. */

const Text = z.string();
const OptionalText = Text.nullish();
const OptionalValue = z.unknown().optional();
const toChangeKind = ({ type: kind, move_path: movePath }: { type: string; move_path?: string | null | undefined }) =>
  movePath == null ? { kind } : { kind, movePath };
const FileChange = z
  .looseObject({ path: Text, kind: z.looseObject({ type: Text, move_path: OptionalText }) })
  .transform((change) => ({ ...change, ...toChangeKind(change.kind) }));
export const CodexError = z.looseObject({
  message: Text,
  codexErrorInfo: OptionalValue,
  additionalDetails: OptionalText,
});

/** A part of a turn: a text, a reasoning step or one tool call. */
export const CodexItem = z.looseObject({
  type: Text,
  id: Text,
  status: OptionalText,
  text: OptionalText,
  summary: z.array(Text).nullish(),
  processId: OptionalText,
  aggregatedOutput: OptionalText,
  changes: z.array(FileChange).nullish(),
  server: OptionalText,
  tool: OptionalText,
  result: z.looseObject({ content: z.unknown() }).nullish(),
  error: CodexError.nullish(),
});
export type CodexItem = z.infer<typeof CodexItem>;

/** The parameters of all notifications. Each notification has some of them. */
export const CodexNotification = z.looseObject({
  threadId: OptionalText,
  turnId: OptionalText,
  itemId: OptionalText,
  delta: Text.default(""),
  item: OptionalValue,
  turn: z.looseObject({ id: Text, status: Text, error: CodexError.nullish() }).optional(),
  tokenUsage: z.looseObject({ total: z.record(Text, AgentTokenCount) }).optional(),
  rateLimits: CodexRateLimits.optional(),
  plan: z.array(z.looseObject({ step: Text, status: Text })).optional(),
  error: z.union([CodexError, Text.transform((message) => ({ message }))]).nullish(),
  willRetry: z.boolean().optional(),
  requestId: z.union([Text, z.int()]).optional(),
  message: Text.optional(),
  summary: Text.optional(),
});
export type CodexNotification = z.infer<typeof CodexNotification>;

export const CodexThread = z.looseObject({ thread: z.looseObject({ id: Text }), model: Text, modelProvider: Text });

const Option = z.object({ label: Text, description: Text.optional() });
const Question = z.looseObject({ id: Text, question: Text, options: z.array(Option).nullish() });

/** The parameters of the requests that Codex sends during a turn. */
export const CodexServerRequest = z.looseObject({
  itemId: Text.optional(),
  reason: OptionalText,
  command: OptionalText,
  cwd: OptionalText,
  serverName: Text.optional(),
  message: Text.optional(),
  questions: z.array(Question).optional(),
  availableDecisions: z.array(z.unknown()).nullish(),
  _meta: z.looseObject({ codex_approval_kind: OptionalText, tool_params: OptionalValue }).nullish(),
});
export type CodexServerRequest = z.infer<typeof CodexServerRequest>;

/** Identifies the client. The experimental API is needed to clean up background terminals. */
export const codexInitializeParams = {
  clientInfo: { name: "fairlead", title: "Fairlead", version: "1" },
  capabilities: { experimentalApi: true, requestAttestation: false },
};
export const toCodexInput = (text: string): object[] => [{ type: "text", text }];
export const methodNotFound = { code: -32_601, message: "This client does not support the request." };
export const repeatedRequest = { code: -32_600, message: "The id of this request is in use." };

/** Whether a request is a decision for a person. This client supports no other requests. */
export function isUserDecision(method: string, { _meta }: CodexServerRequest): boolean {
  const decisionMethods = /^item\/((commandExecution|fileChange)\/requestApproval|tool\/requestUserInput)$/;
  return decisionMethods.test(method) || _meta?.codex_approval_kind === "mcp_tool_call";
}

/** What the dialect stores of a request in order to answer it. */
export interface CodexPendingRequest {
  readonly id: RpcId;
  readonly method: string;
  readonly call: string;
  readonly questions?: readonly { readonly id: string; readonly question: string }[];
  /** Codex's own decisions that a person may choose, by the ids of their options. */
  readonly decisions?: Readonly<Record<string, unknown>>;
}

/** Converts an answer to the result that the request's method expects. */
export function toCodexReply({ method, questions, decisions }: CodexPendingRequest, answer: Answer): object {
  if (questions !== undefined) {
    const answers = new Map(answer.type === "choose" ? Object.entries(answer.answers) : []);
    const entries = questions.map(({ id, question }) => [id, { answers: [answers.get(question) ?? []].flat() }]);
    return { answers: Object.fromEntries(entries) as unknown };
  }
  const chosen = answer.type === "allow" && answer.option !== undefined ? decisions?.[answer.option] : undefined;
  if (chosen !== undefined) return { decision: chosen };
  const decision = answer.type !== "deny" ? "accept" : answer.interrupt ? "cancel" : "decline";
  if (!method.startsWith("mcpServer/")) return { decision };
  return { action: decision, content: decision === "accept" ? {} : null, _meta: null };
}
