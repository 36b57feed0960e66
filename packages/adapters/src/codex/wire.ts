import type { AgentEvent, Answer, ErrorCategory, EventOf } from "@fairlead/contract";
import { failureCategory, inclusiveTokens, textOfContent } from "@fairlead/kit";
import type { CallResult, OpenCall, Reading, RpcId, Trouble } from "@fairlead/kit";
import { z } from "zod";

/** What Codex 0.166 says over `codex app-server`, JSON-RPC on lines. Loose: it adds fields at every release. */

const Text = z.string();
const Maybe = Text.nullish();
const Any = z.unknown().optional();
const Kind = z.looseObject({ type: Text }).transform(({ type }) => type);
const Failed = z.looseObject({ message: Text, codexErrorInfo: Any, additionalDetails: Maybe });

/** A piece of a turn, whatever its kind: what was said, or one call of a tool. */
export const Item = z.looseObject({
  type: Text,
  id: Text,
  status: Maybe,
  text: Maybe,
  summary: z.array(Text).nullish(),
  processId: Maybe,
  aggregatedOutput: Maybe,
  changes: z.array(z.looseObject({ path: Text, kind: Kind })).nullish(),
  server: Maybe,
  tool: Maybe,
  result: z.looseObject({ content: z.unknown() }).nullish(),
  error: Failed.nullish(),
});
export type Item = z.infer<typeof Item>;

/** What it tells of a call that its model made, before it makes an item of it; some calls never become one. */
export const Raw = z.looseObject({ call_id: Text, name: Maybe, arguments: Maybe, input: Maybe, output: Any });

/** The parameters of all its notices; each has some of these. */
export const Notice = z.looseObject({
  threadId: Maybe,
  turnId: Maybe,
  delta: Text.default(""),
  item: Any,
  turn: z.looseObject({ id: Text, status: Text, error: Failed.nullish() }).optional(),
  tokenUsage: z.looseObject({ total: z.record(Text, z.int().nonnegative()) }).optional(),
  plan: z.array(z.looseObject({ step: Text, status: Text })).optional(),
  error: z.union([Failed, Text.transform((message) => ({ message }))]).nullish(),
  willRetry: z.boolean().optional(),
  requestId: z.union([Text, z.int()]).optional(),
  message: Text.optional(),
  summary: Text.optional(),
});
export type Notice = z.infer<typeof Notice>;

export const Opened = z.looseObject({ thread: z.looseObject({ id: Text }), model: Text, modelProvider: Text });

const Option = z.object({ label: Text, description: Text.optional() });
const Question = z.looseObject({ id: Text, question: Text, options: z.array(Option).nullish() });

/** What it asks of us while it works. */
export const Request = z.looseObject({
  itemId: Text.optional(),
  reason: Maybe,
  command: Maybe,
  serverName: Text.optional(),
  message: Text.optional(),
  questions: z.array(Question).optional(),
  _meta: z.looseObject({ codex_approval_kind: Maybe }).nullish(),
});

export type Request = z.infer<typeof Request>;

/** How we make ourselves known. The clearing of terminals is among what it calls experimental. */
export const introduction = {
  clientInfo: { name: "fairlead", title: "Fairlead", version: "1" },
  capabilities: { experimentalApi: true, requestAttestation: false },
};
export const input = (text: string): object[] => [{ type: "text", text }];
export const noSuchThing = { code: -32_601, message: "This host does not do that." };

/** Whether it is a person's to answer. Of all else that it may ask, this host does nothing. */
export function isForPerson(method: string, { _meta }: Request): boolean {
  const known = /^item\/((commandExecution|fileChange)\/requestApproval|tool\/requestUserInput)$/;
  return known.test(method) || _meta?.codex_approval_kind === "mcp_tool_call";
}

/** What we must remember of a request to answer it. */
export interface Ask {
  readonly id: RpcId;
  readonly method: string;
  readonly call: string;
  readonly questions?: readonly { readonly id: string; readonly question: string }[];
}

/** The answer to a request, in its own words; each kind of request has others. */
export function replyTo({ method, questions }: Ask, given: Answer): object {
  if (questions !== undefined) {
    const answers = new Map(given.type === "choose" ? Object.entries(given.answers) : []);
    const listed = questions.map(({ id, question }) => [id, { answers: [answers.get(question) ?? []].flat() }]);
    return { answers: Object.fromEntries(listed) as unknown };
  }
  const decision = given.type !== "deny" ? "accept" : given.interrupt ? "cancel" : "decline";
  if (!method.startsWith("mcpServer/")) return { decision };
  return { action: decision, content: decision === "accept" ? {} : null, _meta: null };
}

type Put = Pick<EventOf<"decision.requested">, "kind" | "title" | "questions">;

/** A request as a person reads it. */
export function questionOf(tool: string, { questions, message, reason, command }: Request): Put {
  const title = message ?? `${tool}: ${reason ?? command ?? "a change of files"}`;
  if (questions === undefined) return { kind: "approval", title };
  const asked = questions.map(({ question: text, options }) => ({ text, several: false, options: options ?? [] }));
  return { kind: "question", title: asked[0]?.text ?? title, questions: asked };
}

export type Tool = Pick<OpenCall, "name" | "input">;

const tools = new Map([
  ["commandExecution", "exec_command"],
  ["fileChange", "apply_patch"],
  ["webSearch", "web_search"],
  ["mcpToolCall", ""],
  ["collabAgentToolCall", ""],
]);
const inputs = ["command", "cwd", "changes", "prompt", "query"];

/** The tool that an item is a call of, or null when it is none. */
export function toolOf(item: Item): Tool | null {
  const name = tools.get(item.type);
  if (name === undefined) return null;
  const given = inputs.filter((key) => item[key] != null).map((key) => [key, item[key]]);
  const fullName = [item.server, name || item.tool].filter(Boolean).join(".");
  return { name: fullName, input: item["arguments"] ?? (Object.fromEntries(given) as unknown) };
}

/** What came of the call that an item was. */
export function resultOf({ status, aggregatedOutput, error, result }: Item, interrupting: boolean): CallResult {
  const output = aggregatedOutput ?? error?.message ?? textOfContent(result?.content);
  if (status === "completed" || status == null) return { output, reason: undefined };
  return { output, reason: status === "declined" ? "denied" : interrupting ? "interrupted" : "failed" };
}

export function changesIn({ id: call, changes }: Item): EventOf<"file.changed">[] {
  return (changes ?? []).map(({ path, kind }) => {
    const change = kind === "add" ? "created" : kind === "delete" ? "deleted" : "modified";
    return { type: "file.changed", path, change, call };
  });
}

const asideItems =
  /^(userMessage|hookPrompt|functionCallOutput|subAgentActivity|sleep|image\w+|dynamicToolCall|error)$|ReviewMode$/;

/** What an item says that is no call; null when it is of no known kind. */
export function saidIn({ type, text, summary }: Item): AgentEvent[] | null {
  if (type === "agentMessage" || type === "plan") return [{ type: "text.ended", text: text ?? "" }];
  if (type === "contextCompaction") return [{ type: "context.compacted", trigger: "automatic" }];
  if (type !== "reasoning") return asideItems.test(type) ? [] : null;
  const thought = summary?.join("\n") ?? "";
  return thought === "" ? [] : [{ type: "reasoning.ended", text: thought }];
}

/** In the words that a model is given back, this is how a call that failed shows. */
export const failedWords = /^Process exited with code (?!0$)|^unsupported call/m;

/** Known, and of no consequence to a session. */
const asides =
  /^(account|app|fs|hook|mcpServer|model|project|rawResponse|remoteControl|skills|thread)\/|^turn\/(diff|moderation)/;
const details = /^item\/(commandExecution|fileChange|plan|autoApprovalReview|mcpToolCall|reasoning)\//;

/** Notices that mean the same whatever has been said before; null when it is not known what. */
export function toEvents(method: string, { plan, error, message, summary }: Notice): AgentEvent[] | null {
  if (method === "turn/plan/updated" && plan !== undefined) {
    const state = (word: string) => (word === "completed" ? "done" : word === "inProgress" ? "active" : "pending");
    return [{ type: "plan.updated", steps: plan.map(({ step, status }) => ({ text: step, state: state(status) })) }];
  }
  const warned = /^(\w*[wW]arning|deprecationNotice)$/.test(method) ? (message ?? summary) : undefined;
  const words = method.startsWith("mcpServer/") ? error?.message : warned;
  if (words !== undefined) return [{ type: "status.reported", level: "warning", message: words }];
  return asides.test(method) || details.test(method) ? [] : null;
}

/** Its figures are running totals, and its input includes what came from a cache or went to one. */
export function readingOf(total: Readonly<Record<string, number>>, provider: string, model: string): Reading {
  const { inputTokens: input = 0, cachedInputTokens: cacheRead = 0, cacheWriteInputTokens: cacheWrite = 0 } = total;
  const { outputTokens: output = 0, reasoningOutputTokens: reasoning = 0 } = total;
  const tokens = inclusiveTokens({ input, cacheRead, cacheWrite, output, reasoning });
  return { kind: "cumulative", provider, model, tokens, cost: null };
}

const kinds: readonly (readonly [RegExp, ErrorCategory])[] = [
  [/no rollout found|invalid (session|thread) id|thread not found/i, "session-not-found"],
  [/modelNotFound|contextWindow|Policy/, "bad-request"],
];

/** It names some failures, gives the status of others, and of the rest only words. */
export function failureOf(failed: z.infer<typeof Failed> | null | undefined): Omit<Trouble, "over"> {
  const { message, codexErrorInfo, additionalDetails } = failed ?? { message: "It did not say why." };
  const says = `${message} ${additionalDetails ?? ""}`.trim();
  const named = `${JSON.stringify(codexErrorInfo ?? "")} ${says}`;
  const status = /"httpStatusCode":(\d+)/.exec(named)?.[1];
  if (status !== undefined) return { category: failureCategory(Number(status), says), says };
  return { category: kinds.find(([sign]) => sign.test(named))?.[1] ?? failureCategory(null, named), says };
}
