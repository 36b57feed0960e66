#!/usr/bin/env node
/** A coding agent without a model: it runs the script in a message, and really writes files and runs commands. */
import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { findScript } from "@fairlead/kit";
import { z } from "zod";
import {
  demoScript,
  ScriptedAgentInput,
  ScriptedStep,
  ScriptedToolCall,
  type ScriptedAgentOutput,
} from "../src/scripted/wire.ts";

const { values } = parseArgs({ options: { resume: { type: "string" }, "accept-edits": { type: "boolean" } } });
const historyFolder = join(process.env["XDG_STATE_HOME"] ?? join(homedir(), ".local", "state"), "fairlead-scripted");
const conversation = values.resume ?? randomUUID();
const historyFile = join(historyFolder, `${conversation}.jsonl`);

function writeOutput(output: ScriptedAgentOutput): void {
  process.stdout.write(`${JSON.stringify(output)}\n`);
}

if (values.resume !== undefined && !existsSync(historyFile)) {
  writeOutput({ type: "failed", message: `There is no conversation ${conversation}.`, unknownConversation: true });
  process.exit(1);
}
class ModelFailed extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`The script says that the model answers ${status}.`);
    this.status = status;
  }
}

/** Aborted by an interrupt. Each message gets a new one. */
let turn = new AbortController();
const pendingAnswers = new Map<string, (answer: Extract<ScriptedAgentInput, { type: "answer" }>) => void>();
const pendingResults = new Map<string, (result: Extract<ScriptedAgentInput, { type: "tool-result" }>) => void>();
/** The tools that a person allowed for more than one call. */
const rememberedTools = new Set<string>();
let previousTurn = Promise.resolve();

writeOutput({ type: "hello", conversation, model: "script" });
for await (const line of createInterface({ input: process.stdin })) {
  const input = ScriptedAgentInput.parse(JSON.parse(line));
  if (input.type === "interrupt") turn.abort();
  else if (input.type === "steer") recordSteering(input.text);
  else if (input.type === "answer") pendingAnswers.get(input.decision)?.(input);
  else if (input.type === "tool-result") pendingResults.get(input.call)?.(input);
  else previousTurn = previousTurn.then(() => runScript(input.text));
}
await previousTurn;

/** Adds steering to the history. It does not change the running script. */
function recordSteering(text: string): void {
  appendFileSync(historyFile, `${JSON.stringify(text)}\n`);
  writeOutput({ type: "steered", text });
}

async function runScript(text: string): Promise<void> {
  turn = new AbortController();
  mkdirSync(historyFolder, { recursive: true });
  appendFileSync(historyFile, `${JSON.stringify(text)}\n`);
  try {
    for (const step of findScript(text) ?? demoScript) await runStep(ScriptedStep.parse(step), turn.signal);
    writeOutput({ type: "done", outcome: "completed" });
  } catch (error) {
    if (turn.signal.aborted) writeOutput({ type: "done", outcome: "interrupted" });
    else if (error instanceof ModelFailed)
      writeOutput({ type: "failed", message: error.message, status: error.status });
    else throw error;
  }
}

async function runStep(step: ScriptedStep, signal: AbortSignal): Promise<void> {
  if (step.delay !== undefined) await wait(step.delay, undefined, { signal });
  if (step.error !== undefined) throw new ModelFailed(step.error.status);
  if (step.think !== undefined) await streamText("thinking", step.think, step, signal);
  if (step.text !== undefined) await streamText("text", step.text, step, signal);
  if (step.flood !== undefined) await flood(step.flood, signal);
  if (step.hang) await wait(1_000_000_000, undefined, { signal });
  await Promise.all((step.tools ?? []).map((call) => callTool(call, signal, step)));
}

async function streamText(
  what: "text" | "thinking",
  text: string,
  step: ScriptedStep,
  signal: AbortSignal,
): Promise<void> {
  const size = Math.max(1, Math.ceil(text.length / (step.chunks ?? 3)));
  let streamed = "";
  try {
    for (let offset = 0; offset < text.length; offset += size) {
      signal.throwIfAborted();
      const part = text.slice(offset, offset + size);
      streamed += part;
      writeOutput({ type: "delta", what, text: part });
      if (step.chunkDelay !== undefined) await wait(step.chunkDelay, undefined, { signal });
    }
  } finally {
    writeOutput({ type: "spoken", what, text: streamed });
  }
}

async function flood({ lines, rate }: NonNullable<ScriptedStep["flood"]>, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  for (let written = 0; written < lines;) {
    signal.throwIfAborted();
    const dueCount = rate === undefined ? written + 500 : ((performance.now() - startedAt) / 1000) * rate;
    for (; written < Math.min(lines, dueCount); written += 1)
      writeOutput({ type: "spoken", what: "text", text: `line ${written + 1}` });
    if (process.stdout.writableNeedDrain) await once(process.stdout, "drain");
    // Waits until the next text is due. Many agents that each poll every ms would use all CPU time.
    else
      await wait(rate === undefined ? 0 : Math.max(1, startedAt + ((written + 1) / rate) * 1000 - performance.now()));
  }
}

async function callTool(call: ScriptedToolCall, signal: AbortSignal, step: ScriptedStep): Promise<void> {
  const id = randomUUID();
  if (call.name === "use") return await useTool(id, call.input, signal);
  writeOutput({ type: "call", call: id, name: call.name, input: call.input });
  try {
    const isAllowed = rememberedTools.has(call.name) || (call.name === "write" && values["accept-edits"] === true);
    const allowed = isAllowed ? call : await requestApproval(id, call, signal, step);
    if (allowed === null) return;
    writeOutput({ type: "running", call: id });
    const { ok, output, file } = await runTool(allowed, signal);
    writeOutput({ type: "result", call: id, ok, output, ...(file !== undefined && { file }) });
  } catch (error) {
    writeOutput({ type: "result", call: id, ok: false, output: "", ...(signal.aborted && { interrupted: true }) });
    throw error;
  }
}

/** Calls a tool that the agent was offered. Its client decides whether it may, and runs it. */
async function useTool(
  call: string,
  { tool, input }: { readonly tool: string; readonly input?: unknown },
  signal: AbortSignal,
): Promise<void> {
  writeOutput({ type: "call", call, name: tool, input });
  const { promise, resolve } = Promise.withResolvers<Extract<ScriptedAgentInput, { type: "tool-result" }> | null>();
  pendingResults.set(call, resolve);
  signal.addEventListener("abort", () => resolve(null), { once: true });
  writeOutput({ type: "use", call, tool, input });
  const result = await promise;
  pendingResults.delete(call);
  const { outcome, text = "" } = result ?? {};
  const failure = outcome === "denied" ? { denied: true } : outcome === undefined ? { interrupted: true } : {};
  writeOutput({ type: "result", call, ok: outcome === "done", output: text, ...failure });
  signal.throwIfAborted();
}

/** Asks for approval. Returns the call with its approved input, or null when it was denied or its edited input is invalid. */
async function requestApproval(
  id: string,
  call: ScriptedToolCall,
  signal: AbortSignal,
  { withdrawWhen, options }: ScriptedStep,
): Promise<ScriptedToolCall | null> {
  const answer = await new Promise<Extract<ScriptedAgentInput, { type: "answer" }> | null>((resolve, reject) => {
    const withdraw = (): void => {
      writeOutput({ type: "withdrawn", decision: id });
      reject(new Error("interrupted"));
    };
    signal.addEventListener("abort", withdraw, { once: true });
    const settle = (decision: Extract<ScriptedAgentInput, { type: "answer" }> | null): void => {
      signal.removeEventListener("abort", withdraw);
      pendingAnswers.delete(id);
      resolve(decision);
    };
    pendingAnswers.set(id, settle);
    writeOutput({
      type: "may-i",
      decision: id,
      call: id,
      name: call.name,
      input: call.input,
      ...(options && { options }),
    });
    if (withdrawWhen !== undefined) void waitWhilePending(id, withdrawWhen).then(() => settle(null));
  });
  if (answer === null) {
    writeOutput({ type: "withdrawn", decision: id });
    writeOutput({ type: "result", call: id, ok: false, output: "", interrupted: true });
    return null;
  }
  if (answer.allow) {
    const scope = options?.find(({ id: option }) => option === answer.option)?.scope ?? "once";
    if (scope !== "once") rememberedTools.add(call.name);
    const approved = ScriptedToolCall.safeParse({ name: call.name, input: answer.input ?? call.input });
    if (approved.success) return approved.data;
    const output = `The input is invalid:\n${z.prettifyError(approved.error)}`;
    writeOutput({ type: "result", call: id, ok: false, output });
    return null;
  }
  writeOutput({ type: "result", call: id, ok: false, output: answer.message ?? "", denied: true });
  if (answer.stop) turn.abort();
  signal.throwIfAborted();
  return null;
}

/** Resolves when the file exists, or when the request is answered. */
async function waitWhilePending(id: string, file: string): Promise<void> {
  while (pendingAnswers.has(id) && !existsSync(file)) await wait(20);
}

interface ToolOutcome {
  readonly ok: boolean;
  readonly output: string;
  readonly file?: { readonly path: string; readonly created: boolean };
}

async function runTool(call: ScriptedToolCall, signal: AbortSignal): Promise<ToolOutcome> {
  switch (call.name) {
    case "write": {
      const created = !existsSync(call.input.path);
      try {
        writeFileSync(call.input.path, call.input.content);
      } catch (error) {
        return { ok: false, output: (error as Error).message };
      }
      return { ok: true, output: `wrote ${call.input.path}`, file: { path: call.input.path, created } };
    }
    case "ask":
      return { ok: true, output: JSON.stringify(call.input.answers ?? {}) };
    case "use": // The client runs it.
      return { ok: false, output: "" };
    case "run":
      return await runShellCommand(call.input.command, signal);
    default:
      return call satisfies never;
  }
}

async function runShellCommand(line: string, signal: AbortSignal): Promise<ToolOutcome> {
  const child: ChildProcess = spawn("bash", ["-c", line], { stdio: ["ignore", "pipe", "pipe"], detached: true });
  const stop = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has exited, and its output is not closed yet.
    }
  };
  signal.addEventListener("abort", stop, { once: true });
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  signal.removeEventListener("abort", stop);
  signal.throwIfAborted();
  return { ok: code === 0, output };
}
