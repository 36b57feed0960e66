import { callEnded, callRequested, callStarted } from "../calls.ts";
import type { AcpQuirks } from "./quirks.ts";
import { speechOver } from "./speech.ts";
import type { AcpManner, Change, ToldCall, Writer } from "./state.ts";
import { RawOutput, type ToolCall } from "./wire.ts";

/** Takes down what is said of a call. Null when the call is over: a late word about it says nothing new. */
export function callTold(writer: Writer, quirks: AcpQuirks, said: ToolCall): ToldCall | null {
  const { toolCallId: call } = said;
  const before = writer.state.told[call];
  if (before === null) return null;
  const title = said.title ?? before?.title ?? "";
  const kind = said.kind ?? before?.kind ?? "other";
  const changes = changesOf(said);
  const told: ToldCall = {
    name: before?.name ?? nameOf(quirks, call, title, kind),
    title,
    kind,
    // Once it has been told, it stands: a decision is about that input.
    input: before !== undefined && writer.state.calls[call] !== undefined ? before.input : inputOf(said, before),
    output: printed(said) || (before?.output ?? ""),
    changes: changes.length > 0 ? changes : (before?.changes ?? []),
  };
  writer.set({ told: { ...writer.state.told, [call]: told } });
  return told;
}

/** Tells of a call, once, as soon as it is known what it would do: agents announce calls before they know their input. */
export function callKnown(writer: Writer, call: string, { name, input }: ToldCall): void {
  if (writer.state.calls[call] !== undefined) return;
  speechOver(writer);
  callRequested(writer, { call, name, input });
}

export function callUpdated(writer: Writer, { quirks, asksInProgress }: AcpManner, said: ToolCall): void {
  const { toolCallId: call, status } = said;
  const shown = writer.state.told[call]?.output ?? "";
  const told = callTold(writer, quirks, said);
  if (told === null || status == null || status === "pending") return;
  callKnown(writer, call, told);
  if (status !== "in_progress") return callOver(writer, call, resultOf(quirks, told, said));
  if (!asksInProgress) callStarted(writer, call);
  // What it printed is told whole each time.
  const started = writer.state.calls[call]?.started === true;
  if (!started || told.output === shown || !told.output.startsWith(shown)) return;
  writer.event({ type: "tool.progressed", call, output: told.output.slice(shown.length) });
}

interface Result {
  readonly output: string;
  readonly ok: boolean;
  readonly changes: readonly Change[];
}

function callOver(writer: Writer, call: string, { output, ok, changes }: Result): void {
  const failure = writer.state.interrupting ? "interrupted" : "failed";
  const reason = ok && !writer.state.interrupting ? undefined : failure;
  if (reason === undefined) {
    callStarted(writer, call);
    for (const change of changes) writer.event({ type: "file.changed", ...change, call });
  }
  callEnded(writer, call, { output, reason });
  callForgotten(writer, call);
}

export function callForgotten(writer: Writer, call: string): void {
  writer.set({ told: { ...writer.state.told, [call]: null } });
}

function resultOf(quirks: AcpQuirks, told: ToldCall, said: ToolCall): Result {
  const raw = RawOutput.safeParse(said.rawOutput).data;
  const report = told.kind === "execute" ? quirks.commandReport?.exec(told.output)?.groups : undefined;
  const plain = typeof said.rawOutput === "string" ? said.rawOutput : "";
  const exit = raw?.exitCode ?? raw?.exit_code ?? raw?.metadata?.exit ?? Number(report?.["exit"] ?? 0);
  const existed = raw?.metadata?.exists;
  const changes = told.changes.map((one) =>
    existed === undefined || one.change === "deleted"
      ? one
      : ({ ...one, change: existed ? "modified" : "created" } as const),
  );
  return {
    output: report?.["output"] ?? (told.output || plain),
    ok: said.status === "completed" && exit === 0,
    changes,
  };
}

function nameOf({ toolName }: AcpQuirks, call: string, title: string, kind: string): string {
  if (toolName === "title") return title || kind;
  if (toolName === undefined) return kind;
  const [before, after] = call.split(toolName.idBefore);
  return after === undefined || before === undefined ? kind : before;
}

/** An agent that keeps the raw input to itself at least shows a title, and what it would change. */
function inputOf({ rawInput, title, locations, content }: ToolCall, before: ToldCall | undefined): unknown {
  if (typeof rawInput === "object" && rawInput !== null && Object.keys(rawInput).length > 0) return rawInput;
  if (before !== undefined) return before.input;
  const paths = (locations ?? []).map(({ path }) => path);
  const texts = (content ?? []).flatMap(({ newText }) => newText ?? []);
  return { title: title ?? "", ...(paths.length > 0 && { paths }), ...(texts.length > 0 && { texts }) };
}

/** The content of a call that is only announced, or asked about, describes it. */
function printed({ content, status, sessionUpdate }: ToolCall): string {
  const runs = status === "in_progress" && sessionUpdate === "tool_call_update";
  if (!runs && status !== "completed" && status !== "failed") return "";
  return (content ?? []).map((part) => part.content?.text ?? "").join("");
}

function changesOf({ content, kind, locations }: ToolCall): Change[] {
  const diffs = (content ?? []).flatMap(({ path, oldText }): Change[] =>
    path === undefined ? [] : [{ path, change: (oldText ?? "") === "" ? "created" : "modified" }],
  );
  if (diffs.length > 0) return diffs;
  const change = kind === "delete" ? "deleted" : kind === "edit" ? "modified" : undefined;
  return change === undefined ? [] : (locations ?? []).map(({ path }) => ({ path, change }));
}
