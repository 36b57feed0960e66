#!/usr/bin/env node
/** A coding agent without a model: it plays the script that a message carries, really writing and really running. */
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
import { demoScript, Heard, Step, type Call, type Said } from "../src/scripted/wire.ts";

const { values } = parseArgs({ options: { resume: { type: "string" }, "accept-edits": { type: "boolean" } } });
const memoryFolder = join(process.env["XDG_STATE_HOME"] ?? join(homedir(), ".local", "state"), "fairlead-scripted");
const conversation = values.resume ?? randomUUID();
const memory = join(memoryFolder, `${conversation}.jsonl`);

function say(said: Said): void {
  process.stdout.write(`${JSON.stringify(said)}\n`);
}

if (values.resume !== undefined && !existsSync(memory)) {
  say({ type: "failed", message: `There is no conversation ${conversation}.`, unknownConversation: true });
  process.exit(1);
}
class ModelFailed extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`The script says that the model answers ${status}.`);
    this.status = status;
  }
}

/** Aborted by an interrupt; there is a new one for every message. */
let turn = new AbortController();
const answers = new Map<string, (answer: Extract<Heard, { type: "answer" }>) => void>();
let previous = Promise.resolve();

say({ type: "hello", conversation, model: "script" });
for await (const line of createInterface({ input: process.stdin })) {
  const heard = Heard.parse(JSON.parse(line));
  if (heard.type === "interrupt") turn.abort();
  else if (heard.type === "steer") steered(heard.text);
  else if (heard.type === "answer") answers.get(heard.decision)?.(heard);
  else previous = previous.then(() => play(heard.text));
}
await previous;

/** It cannot change its script; but it remembers. */
function steered(text: string): void {
  appendFileSync(memory, `${JSON.stringify(text)}\n`);
  say({ type: "steered", text });
}

async function play(text: string): Promise<void> {
  turn = new AbortController();
  mkdirSync(memoryFolder, { recursive: true });
  appendFileSync(memory, `${JSON.stringify(text)}\n`);
  try {
    for (const step of findScript(text) ?? demoScript) await perform(Step.parse(step), turn.signal);
    say({ type: "done", outcome: "completed" });
  } catch (error) {
    if (turn.signal.aborted) say({ type: "done", outcome: "interrupted" });
    else if (error instanceof ModelFailed) say({ type: "failed", message: error.message, status: error.status });
    else throw error;
  }
}

async function perform(step: Step, signal: AbortSignal): Promise<void> {
  if (step.delay !== undefined) await wait(step.delay, undefined, { signal });
  if (step.error !== undefined) throw new ModelFailed(step.error.status);
  if (step.think !== undefined) await speak("thinking", step.think, step, signal);
  if (step.text !== undefined) await speak("text", step.text, step, signal);
  if (step.flood !== undefined) await flood(step.flood, signal);
  if (step.hang) await wait(1_000_000_000, undefined, { signal });
  await Promise.all((step.tools ?? []).map((call) => use(call, signal)));
}

async function speak(what: "text" | "thinking", text: string, step: Step, signal: AbortSignal): Promise<void> {
  const size = Math.max(1, Math.ceil(text.length / (step.chunks ?? 3)));
  let spoken = "";
  try {
    for (let at = 0; at < text.length; at += size) {
      signal.throwIfAborted();
      const part = text.slice(at, at + size);
      spoken += part;
      say({ type: "delta", what, text: part });
      if (step.chunkDelay !== undefined) await wait(step.chunkDelay, undefined, { signal });
    }
  } finally {
    say({ type: "spoken", what, text: spoken });
  }
}

async function flood({ lines, rate }: NonNullable<Step["flood"]>, signal: AbortSignal): Promise<void> {
  const began = performance.now();
  for (let said = 0; said < lines;) {
    signal.throwIfAborted();
    const due = rate === undefined ? said + 500 : ((performance.now() - began) / 1000) * rate;
    for (; said < Math.min(lines, due); said += 1) say({ type: "spoken", what: "text", text: `line ${said + 1}` });
    if (process.stdout.writableNeedDrain) await once(process.stdout, "drain");
    // Until the next is due: many agents that each look every millisecond would leave the machine no time.
    else await wait(rate === undefined ? 0 : Math.max(1, began + ((said + 1) / rate) * 1000 - performance.now()));
  }
}

async function use(call: Call, signal: AbortSignal): Promise<void> {
  const id = randomUUID();
  say({ type: "call", call: id, name: call.name, input: call.input });
  try {
    const allowed = call.name === "write" && values["accept-edits"] === true ? call : await approved(id, call, signal);
    if (allowed === null) return;
    say({ type: "running", call: id });
    const { ok, output, file } = await run(allowed, signal);
    say({ type: "result", call: id, ok, output, ...(file !== undefined && { file }) });
  } catch (error) {
    say({ type: "result", call: id, ok: false, output: "", ...(signal.aborted && { interrupted: true }) });
    throw error;
  }
}

/** The call as it may be made, or null when it was denied. */
async function approved(id: string, call: Call, signal: AbortSignal): Promise<Call | null> {
  const answer = await new Promise<Extract<Heard, { type: "answer" }>>((resolve, reject) => {
    const withdraw = (): void => {
      say({ type: "withdrawn", decision: id });
      reject(new Error("interrupted"));
    };
    signal.addEventListener("abort", withdraw, { once: true });
    answers.set(id, (given) => {
      signal.removeEventListener("abort", withdraw);
      answers.delete(id);
      resolve(given);
    });
    say({ type: "may-i", decision: id, call: id, name: call.name, input: call.input });
  });
  if (answer.allow)
    return Step.shape.tools.unwrap().element.parse({ name: call.name, input: answer.input ?? call.input });
  say({ type: "result", call: id, ok: false, output: answer.message ?? "", denied: true });
  if (answer.stop) turn.abort();
  signal.throwIfAborted();
  return null;
}

interface Outcome {
  readonly ok: boolean;
  readonly output: string;
  readonly file?: { readonly path: string; readonly created: boolean };
}

async function run(call: Call, signal: AbortSignal): Promise<Outcome> {
  switch (call.name) {
    case "write": {
      const created = !existsSync(call.input.path);
      writeFileSync(call.input.path, call.input.content);
      return { ok: true, output: `wrote ${call.input.path}`, file: { path: call.input.path, created } };
    }
    case "ask":
      return { ok: true, output: JSON.stringify(call.input.answers ?? {}) };
    case "run":
      return await command(call.input.command, signal);
    default:
      return call satisfies never;
  }
}

async function command(line: string, signal: AbortSignal): Promise<Outcome> {
  const child: ChildProcess = spawn("bash", ["-c", line], { stdio: ["ignore", "pipe", "pipe"], detached: true });
  const stop = (): void => void (child.pid !== undefined && process.kill(-child.pid, "SIGKILL"));
  signal.addEventListener("abort", stop, { once: true });
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  signal.removeEventListener("abort", stop);
  signal.throwIfAborted();
  return { ok: code === 0, output };
}
