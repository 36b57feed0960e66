import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Api, ApiQuestion } from "./api.ts";
import { ampApi } from "./apis/amp.ts";
import { anthropicMessages } from "./apis/anthropic-messages.ts";
import { geminiApi } from "./apis/gemini.ts";
import { openaiChat } from "./apis/openai-chat.ts";
import { openaiResponses } from "./apis/openai-responses.ts";
import { RegisteredScripts } from "./registered-scripts.ts";
import type { ScriptStep } from "./script.ts";
import { runScriptStep } from "./script-run.ts";
import { createStepSelector } from "./step-selector.ts";
import { sendJson } from "./json.ts";
import { noUsage, usageForRequest, type ServedAnswer } from "./model-usage.ts";

/** A server on loopback with scripted model APIs. Disposing it closes every connection. */
export interface Lab extends AsyncDisposable {
  /** The base URL for agents, without a slash at the end. */
  readonly url: string;
  /** All requests in order of arrival, including those that no API recognized. */
  readonly requests: readonly LabRequest[];
  /** The usage reported in each answer, in the order in which the answers began. */
  readonly servedAnswers: readonly ServedAnswer[];
  /** Answers a prompt with these steps, so that the prompt does not have to carry them. */
  registerScript(prompt: string, steps: readonly ScriptStep[]): void;
  /** Refuses new connections. Answers in progress are completed. */
  refuse(): void;
  /** Accepts connections again, on the same port. */
  accept(): Promise<void>;
}

export interface LabRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The parsed JSON body, or undefined if there is none. */
  readonly body: unknown;
}

/** All APIs that the lab implements. The first one that recognizes a request answers it. */
const apis: readonly Api[] = [ampApi, anthropicMessages, geminiApi, openaiChat, openaiResponses];

export async function openLab({ port = 0 }: { readonly port?: number } = {}): Promise<Lab> {
  const requests: LabRequest[] = [];
  const servedAnswers: ServedAnswer[] = [];
  const registeredScripts = new RegisteredScripts();
  const selectStep = createStepSelector(registeredScripts);
  let questionCount = 0;

  async function receive(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const disconnected = disconnectSignal(response);
    // A keep-alive connection times out at some moment. A client that reuses it just then would see an error that is
    // not in the script.
    response.setHeader("connection", "close");
    try {
      const request = await readRequest(incoming);
      requests.push(request);
      // The lab has no web sockets. With this status, Codex uses HTTP at once. With any other, it tries five times more.
      if (incoming.headers.upgrade !== undefined) return sendJson(response, 426, notFound(request));
      for (const api of apis) {
        const question = api.recognize(request);
        if (!question) continue;
        if ("fixed" in question) sendJson(response, 200, question.fixed);
        else await answer(api, question, response, disconnected);
        return;
      }
      sendJson(response, 404, notFound(request));
    } catch (error) {
      // A client may disconnect at any time. Any other error is a defect of the lab and must be visible.
      if (disconnected.aborted) return;
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { error: { type: "lab_error", message: String(error) } });
    }
  }

  async function answer(
    api: Api,
    question: ApiQuestion,
    response: ServerResponse,
    disconnected: AbortSignal,
  ): Promise<void> {
    const step = selectStep(question);
    const plannedUsage = { ...usageForRequest((questionCount += 1)), ...step.usage };
    const usage = api.reportableUsage?.(plannedUsage) ?? plannedUsage;
    const { model, streamed, withoutUsage } = question;
    let index: number | undefined;
    await runScriptStep({
      api,
      answer: { model, step, usage, ...(withoutUsage && { withoutUsage }) },
      streamed,
      response,
      disconnected,
      recordUsage(statedUsage, complete) {
        const served = { api: api.name, model, auxiliary: !question.hasTools };
        index ??= servedAnswers.push({ ...served, ...noUsage, complete: false }) - 1;
        servedAnswers[index] = { ...served, ...statedUsage, complete };
      },
    });
  }

  const server = createServer((incoming, response) => void receive(incoming, response));
  async function listen(requestedPort: number): Promise<number> {
    server.listen(requestedPort, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  }
  const boundPort = await listen(port);

  return {
    url: `http://127.0.0.1:${boundPort}`,
    requests,
    servedAnswers,
    registerScript(prompt, steps) {
      registeredScripts.register(prompt, steps);
    },
    refuse() {
      server.close();
    },
    async accept() {
      if (!server.listening) await listen(boundPort);
    },
    async [Symbol.asyncDispose]() {
      const closed = server.listening ? once(server, "close") : undefined;
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function readRequest(incoming: IncomingMessage): Promise<LabRequest> {
  const { method = "GET", url = "/", headers } = incoming;
  return { method, path: new URL(url, "http://lab").pathname, headers, body: parse(await text(incoming)) };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

/** Has the message at a path where the clients of all vendors find it. */
function notFound({ method, path }: LabRequest): object {
  return { type: "error", error: { type: "not_found_error", message: `The lab has no ${method} ${path}.` } };
}

/** Returns a signal that aborts when the response closes: when the client disconnects, and after the normal end. */
function disconnectSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once("close", () => controller.abort());
  return controller.signal;
}
