import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { Answer, Api, Chunk } from "./api.ts";
import { sendJson } from "./send-json.ts";
import type { Failure } from "./step.ts";
import type { Usage } from "./usage.ts";

const pingInterval = 1000;

/** Milliseconds. Some clients drop what they have not read yet when a connection breaks, and no server can tell what was read. */
const pauseBeforeCut = 200;

export interface Play {
  readonly api: Api;
  readonly answer: Answer;
  readonly streamed: boolean;
  readonly response: ServerResponse;
  /** Aborted when the client has left. */
  readonly left: AbortSignal;
  /** Called just before the client can know of it, so that whoever has the answer finds it recorded. */
  state(usage: Usage, complete: boolean): void;
}

/** Gives one answer. Rejects with the reason of `left` when the client leaves before the end. */
export async function play(scene: Play): Promise<void> {
  const { step } = scene.answer;
  if (step.delay) await wait(step.delay, undefined, { signal: scene.left });
  if (step.error) fail(scene, step.error);
  else if (scene.streamed) await stream(scene);
  else await answerAtOnce(scene);
}

function fail({ api, response }: Play, { status, message, headers }: Failure): void {
  sendJson(response, status, api.error(status, message ?? `The lab was told to answer ${status}.`), headers);
}

async function answerAtOnce(scene: Play): Promise<void> {
  const { api, answer, response, left } = scene;
  if (answer.step.hang) await departure(left);
  if (answer.step.cut) {
    response.destroy();
    return;
  }
  scene.state(answer.usage, true);
  sendJson(response, 200, api.body(answer));
}

async function stream(scene: Play): Promise<void> {
  const { api, answer, response, left } = scene;
  const { step } = answer;
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const chunks = [...api.stream(answer)];
  let usage: Usage | undefined;
  for (const [index, chunk] of chunks.entries()) {
    left.throwIfAborted();
    usage = chunk.states ?? usage;
    if (usage) scene.state(usage, index === chunks.length - 1);
    await send(response, chunk);
    if (step.hang) await keepAlive(scene);
    if (!chunk.delta) continue;
    const pause = step.chunkDelay ?? (step.cut ? pauseBeforeCut : 0);
    if (pause) await wait(pause, undefined, { signal: left });
    if (step.cut) {
      response.destroy();
      return;
    }
  }
  response.end();
}

async function keepAlive({ api, response, left }: Play): Promise<never> {
  for (;;) {
    await wait(pingInterval, undefined, { signal: left });
    await send(response, api.ping);
  }
}

async function departure(left: AbortSignal): Promise<never> {
  left.throwIfAborted();
  return new Promise((_, reject) => {
    left.addEventListener("abort", () => reject(left.reason as Error), { once: true });
  });
}

/** Resolves when the chunk has been handed to the system: a cut must not take it back. */
async function send(response: ServerResponse, { event, data }: Chunk): Promise<void> {
  const name = event === undefined ? "" : `event: ${event}\n`;
  const line = typeof data === "string" ? data : JSON.stringify(data);
  return new Promise((resolve, reject) => {
    response.write(`${name}data: ${line}\n\n`, (error) => (error ? reject(error) : resolve()));
  });
}
