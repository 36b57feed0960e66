import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { ApiAnswer, Api, SseChunk } from "./api.ts";
import { sendJson } from "./json.ts";
import { quotaAt, type ScriptedFailure, type ScriptedQuota } from "./script.ts";
import type { ModelUsage } from "./model-usage.ts";

const pingInterval = 1000;

/**
 * Milliseconds. When a connection breaks, some clients drop what they have not read, and a server cannot know what was
 * read.
 */
const pauseBeforeCut = 200;

/** One answer that the lab sends. */
export interface ScriptRun {
  readonly api: Api;
  readonly answer: ApiAnswer;
  readonly streamed: boolean;
  readonly response: ServerResponse;
  /** Aborts when the response closes. */
  readonly disconnected: AbortSignal;
  /** Called before the chunk with the usage is sent, so that a client that has the answer finds the usage recorded. */
  recordUsage(usage: ModelUsage, complete: boolean): void;
}

/** Sends one answer. Rejects with the reason of `disconnected` if the client disconnects before the end. */
export async function runScriptStep(run: ScriptRun): Promise<void> {
  const { step } = run.answer;
  if (step.delay) await wait(step.delay, undefined, { signal: run.disconnected });
  const quota = step.quota && quotaAt(step.quota, Date.now());
  for (const [name, value] of Object.entries((quota && run.api.quotaHeaders?.(quota)) ?? {}))
    run.response.setHeader(name, value);
  if (quota?.reached) sendQuotaRefusal(run, quota);
  else if (step.error) sendFailure(run, step.error);
  else if (run.streamed) await streamAnswer(run);
  else await sendCompleteAnswer(run);
}

function sendFailure({ api, response }: ScriptRun, { status, message, headers }: ScriptedFailure): void {
  sendJson(response, status, api.errorBody(status, message ?? `The script asked for status ${status}.`), headers);
}

function sendQuotaRefusal({ api, response }: ScriptRun, quota: ScriptedQuota): void {
  sendJson(response, 429, api.quotaBody?.(quota) ?? api.errorBody(429, "The quota of the account is used up."));
}

async function sendCompleteAnswer(run: ScriptRun): Promise<void> {
  const { api, answer, response, disconnected } = run;
  if (answer.step.hang) await waitForDisconnect(disconnected);
  if (answer.step.cut) {
    response.destroy();
    return;
  }
  run.recordUsage(answer.usage, true);
  sendJson(response, 200, api.completeBody(answer));
}

async function streamAnswer(run: ScriptRun): Promise<void> {
  const { api, answer, response, disconnected } = run;
  const { step } = answer;
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const chunks = [...api.stream(answer)];
  let usage: ModelUsage | undefined;
  for (const [index, chunk] of chunks.entries()) {
    disconnected.throwIfAborted();
    usage = chunk.usage ?? usage;
    if (usage) run.recordUsage(usage, index === chunks.length - 1);
    await sendChunk(response, chunk);
    if (step.hang) await keepAlive(run);
    if (!chunk.delta) continue;
    const pause = step.chunkDelay ?? (step.cut ? pauseBeforeCut : 0);
    if (pause) await wait(pause, undefined, { signal: disconnected });
    if (step.cut) {
      response.destroy();
      return;
    }
  }
  response.end();
}

async function keepAlive({ api, response, disconnected }: ScriptRun): Promise<never> {
  for (;;) {
    await wait(pingInterval, undefined, { signal: disconnected });
    await sendChunk(response, api.ping);
  }
}

async function waitForDisconnect(disconnected: AbortSignal): Promise<never> {
  disconnected.throwIfAborted();
  return new Promise((_, reject) => {
    disconnected.addEventListener("abort", () => reject(disconnected.reason as Error), { once: true });
  });
}

/** Resolves when the operating system has the chunk, so that a cut cannot discard it. */
async function sendChunk(response: ServerResponse, { event, data }: SseChunk): Promise<void> {
  const name = event === undefined ? "" : `event: ${event}\n`;
  const line = typeof data === "string" ? data : JSON.stringify(data);
  return new Promise((resolve, reject) => {
    response.write(`${name}data: ${line}\n\n`, (error) => (error ? reject(error) : resolve()));
  });
}
