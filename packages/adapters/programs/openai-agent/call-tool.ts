import type { ToolCallContent, ToolKind } from "@agentclientprotocol/sdk";
import type { Client } from "./client.ts";
import type { Call, MessageOf } from "./history.ts";
import { leave, type Mode } from "./mode.ts";
import type { Outcome, Place, Tool } from "./tool.ts";

const kinds: Readonly<Record<Tool["effect"], ToolKind>> = { reads: "read", edits: "edit", runs: "execute" };

export interface Caller {
  readonly tools: readonly Tool[];
  readonly client: Client;
  readonly mode: Mode;
  readonly place: Place;
}

/** Says that the model wants a call made. Said of all calls of an answer before any of them is made. */
export async function announce(call: Call, { tools, client }: Caller): Promise<void> {
  const { name } = call.function;
  const tool = tools.find((one) => one.name === name);
  const rawInput = inputOf(call);
  await client.tell({
    sessionUpdate: "tool_call",
    toolCallId: call.id,
    title: name,
    name,
    kind: tool ? kinds[tool.effect] : "other",
    status: "pending",
    ...(rawInput !== undefined && { rawInput }),
  });
}

/** Makes a call, if it may be made. Never rejects for what the tool does: every call gets a result, or the history breaks. */
export async function callTool(call: Call, caller: Caller): Promise<MessageOf<"tool">> {
  const { client } = caller;
  const toolCallId = call.id;
  const outcome = await outcomeOf(call, caller, () =>
    client.tell({ sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" }),
  );
  await client.tell({
    sessionUpdate: "tool_call_update",
    toolCallId,
    status: outcome.ok ? "completed" : "failed",
    content: contentOf(outcome),
    rawOutput: outcome.output,
  });
  return { role: "tool", tool_call_id: toolCallId, content: outcome.output };
}

async function outcomeOf(call: Call, caller: Caller, begin: () => Promise<void>): Promise<Outcome> {
  const { tools, client, mode, place } = caller;
  const tool = tools.find((one) => one.name === call.function.name);
  if (!tool) return refusal(`There is no tool ${call.function.name}.`);
  const input = inputOf(call);
  if (input === undefined) return refusal("The input is not JSON.");
  if (place.signal.aborted) return refusal("It was interrupted.");
  const allowed = leave(mode, tool);
  if (allowed === "never") return refusal(`In the mode "${mode}" nothing is changed: ${tool.name} was not called.`);
  if (allowed === "asked") {
    const title = call.function.name;
    const { answer } = await orAborted(client.mayI({ toolCallId: call.id, title, rawInput: input }), place.signal);
    if (answer === "no") return refusal("The user did not allow this call.");
    if (answer === "cancelled") return refusal("It was interrupted.");
  }
  await begin();
  return tool.use(input, place);
}

function refusal(output: string): Outcome {
  return { ok: false, output };
}

function inputOf(call: Call): unknown {
  try {
    // A tool that takes nothing is called by some models with nothing at all.
    return JSON.parse(call.function.arguments || "{}") as unknown;
  } catch {
    return undefined;
  }
}

function contentOf({ output, change }: Outcome): ToolCallContent[] {
  const said: ToolCallContent = { type: "content", content: { type: "text", text: output } };
  if (!change) return [said];
  return [said, { type: "diff", path: change.path, oldText: change.before, newText: change.after }];
}

/** An interrupt does not wait for an answer that may never come. */
async function orAborted<Given>(asked: Promise<Given>, signal: AbortSignal): Promise<Given | { answer: "cancelled" }> {
  const gone = Promise.withResolvers<{ answer: "cancelled" }>();
  const leaveIt = (): void => gone.resolve({ answer: "cancelled" });
  signal.addEventListener("abort", leaveIt, { once: true });
  try {
    return await Promise.race([asked, gone.promise]);
  } finally {
    signal.removeEventListener("abort", leaveIt);
  }
}
