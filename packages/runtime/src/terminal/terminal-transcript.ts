import { createHash } from "node:crypto";
import type { Adapter, NoteOf, TranscriptEnd, TranscriptPosition } from "@fairlead/contract";
import type { SessionState, TerminalRecording } from "@fairlead/reducer";
import type { Environment } from "../host/child-environment.ts";
import { PlainFile } from "../host/read-plain-file.ts";
import { findTranscript, type FoundTranscripts } from "./find-transcript.ts";
import { isSafeAgentSessionId } from "../transcript/locate-transcript.ts";

/** How much of the transcript before a position is compared, to find out whether it was only appended to. */
const comparedBytes = 64 * 1024;
/** How much of a take-over is recorded. A transcript may contain every file that the agent read. */
const maxGainBytes = 16 * 1024 * 1024;
/** A longer line is left out. */
const maxLineBytes = 1024 * 1024;
/** A part has at least this many bytes, unless it is the last one. Each part is one record of the spool. */
const partBytes = 256 * 1024;
const newline = 0x0a;

type TranscriptNote = NoteOf<"terminal-transcript">;
type TakenOverState = Pick<SessionState, "opening" | "agentSessionId">;

/** Measures the agent's transcript of a conversation. Returns null if there is none that can be read. */
export async function measureTranscript(
  adapter: Adapter,
  state: TakenOverState,
  recording: TerminalRecording,
  environment: Environment,
): Promise<TranscriptPosition | null> {
  try {
    const { path } = await locate(adapter, state, recording, environment);
    await using file = path === null ? null : await PlainFile.open(path, Infinity);
    return file === null ? null : { bytes: file.size, digest: await digestBefore(file, file.size) };
  } catch {
    return null;
  }
}

/** Yields what the agent's transcript gained since the terminal opened, in parts. The last part has an `end`. */
export async function* readTranscriptGain(
  adapter: Adapter,
  state: TakenOverState,
  recording: TerminalRecording,
  environment: Environment,
): AsyncGenerator<TranscriptNote> {
  const { position, next } = recording;
  const nothing: TranscriptNote = { type: "terminal-transcript", from: next, to: next, lines: [] };
  const noEnd: TranscriptEnd = { problem: null, skippedBytes: 0, otherConversations: [] };
  let read: { readonly content: Buffer; readonly skippedBytes: number };
  let found: FoundTranscripts;
  try {
    found = await locate(adapter, state, recording, environment);
    await using file = found.path === null ? null : await PlainFile.open(found.path, Infinity);
    const problem = file === null ? "missing" : await findProblem(file, position);
    if (file === null || problem !== null) return yield { ...nothing, end: { ...noEnd, problem } };
    const limit = (position?.bytes ?? 0) + maxGainBytes;
    read = { content: await readRange(file, next, limit), skippedBytes: Math.max(0, file.size - limit) };
  } catch {
    return yield { ...nothing, end: { ...noEnd, problem: "unreadable" } };
  }
  yield* splitIntoParts(read.content, next, {
    ...noEnd,
    skippedBytes: read.skippedBytes,
    otherConversations: [...found.newConversations],
  });
}

async function locate(
  adapter: Adapter,
  { opening, agentSessionId }: TakenOverState,
  { takenOverAt }: TerminalRecording,
  environment: Environment,
): Promise<FoundTranscripts> {
  const nothing = { path: null, newConversations: [] };
  if (opening === null || agentSessionId === null || !isSafeAgentSessionId(agentSessionId)) return nothing;
  const conversation = { opening, agentSessionId, environment, since: new Date(takenOverAt) };
  const location = adapter.terminalTranscript?.(conversation) ?? null;
  return location === null ? nothing : await findTranscript(location, agentSessionId, takenOverAt);
}

async function findProblem(file: PlainFile, position: TranscriptPosition | null): Promise<TranscriptEnd["problem"]> {
  if (position === null || file.size < position.bytes) return "rewritten";
  return (await digestBefore(file, position.bytes)) === position.digest ? null : "rewritten";
}

async function digestBefore(file: PlainFile, end: number): Promise<string> {
  const content = await readRange(file, Math.max(0, end - comparedBytes), end);
  return createHash("sha256").update(content).digest("hex");
}

async function readRange(file: PlainFile, start: number, end: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let position = start;
  for await (const chunk of file.chunks(start)) {
    chunks.push(chunk.subarray(0, end - position));
    position += chunk.length;
    if (position >= end) break;
  }
  return Buffer.concat(chunks);
}

function* splitIntoParts(content: Buffer, offset: number, end: TranscriptEnd): Generator<TranscriptNote> {
  let { skippedBytes } = end;
  let lines: string[] = [];
  let partStart = 0;
  let lineStart = 0;
  while (lineStart < content.length) {
    const newlineAt = content.indexOf(newline, lineStart);
    const lineEnd = newlineAt === -1 ? content.length : newlineAt;
    if (lineEnd - lineStart > maxLineBytes) skippedBytes += lineEnd - lineStart;
    else if (lineEnd > lineStart) lines.push(content.toString("utf8", lineStart, lineEnd));
    lineStart = lineEnd + 1;
    if (lineStart - partStart < partBytes || lineStart >= content.length) continue;
    yield { type: "terminal-transcript", from: offset + partStart, to: offset + lineStart, lines };
    [lines, partStart] = [[], lineStart];
  }
  const range = { from: offset + partStart, to: offset + content.length };
  yield { type: "terminal-transcript", ...range, lines, end: { ...end, skippedBytes } };
}
