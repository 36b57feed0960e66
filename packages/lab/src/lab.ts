import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Api, Question } from "./api.ts";
import { apis } from "./apis.ts";
import { play } from "./play.ts";
import { openPrompter } from "./prompter.ts";
import { sendJson } from "./send-json.ts";
import { noUsage, usageOfRequest, type Served } from "./usage.ts";

/** The vendors' model APIs, scripted, on loopback. Disposing it ends every connection. */
export interface Lab extends AsyncDisposable {
  /** What an agent is given as the address of its model, without a slash at the end. */
  readonly url: string;
  /** All that was asked, in order of arrival, whether or not an API recognised it. */
  readonly requests: readonly LabRequest[];
  /** The usage stated in each answer, in order of the answers' beginning. */
  readonly served: readonly Served[];
  /** From now on connections are refused. Answers under way go on. */
  refuse(): void;
  /** Listens again, on the same port. */
  accept(): Promise<void>;
}

export interface LabRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Parsed JSON; undefined when there was none. */
  readonly body: unknown;
}

export async function openLab({ port = 0 }: { readonly port?: number } = {}): Promise<Lab> {
  const requests: LabRequest[] = [];
  const served: Served[] = [];
  const prompt = openPrompter();
  let questions = 0;

  async function receive(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const left = departureOf(response);
    // A kept connection times out at some moment; a client that uses it just then would see an error that no script asked for.
    response.setHeader("connection", "close");
    try {
      const request = await readRequest(incoming);
      requests.push(request);
      for (const api of apis) {
        const asked = api.recognise(request);
        if (!asked) continue;
        if ("fixed" in asked) sendJson(response, 200, asked.fixed);
        else await answer(api, asked, response, left);
        return;
      }
      sendJson(response, 404, notFound(request));
    } catch (error) {
      // That a client leaves is its right; all else is a mistake of ours, and must be seen.
      if (left.aborted) return;
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { error: { type: "lab_error", message: String(error) } });
    }
  }

  async function answer(api: Api, question: Question, response: ServerResponse, left: AbortSignal): Promise<void> {
    const step = prompt(question);
    const given = { ...usageOfRequest((questions += 1)), ...step.usage };
    const usage = api.stated?.(given) ?? given;
    const { model, streamed, withoutUsage } = question;
    let place: number | undefined;
    await play({
      api,
      answer: { model, step, usage, ...(withoutUsage && { withoutUsage }) },
      streamed,
      response,
      left,
      state(stated, complete) {
        place ??= served.push({ api: api.name, model, ...noUsage, complete: false }) - 1;
        served[place] = { api: api.name, model, ...stated, complete };
      },
    });
  }

  const server = createServer((incoming, response) => void receive(incoming, response));
  async function listen(wanted: number): Promise<number> {
    server.listen(wanted, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  }
  const taken = await listen(port);

  return {
    url: `http://127.0.0.1:${taken}`,
    requests,
    served,
    refuse() {
      server.close();
    },
    async accept() {
      if (!server.listening) await listen(taken);
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

/** A shape in which the clients of all vendors find the message. */
function notFound({ method, path }: LabRequest): object {
  return { type: "error", error: { type: "not_found_error", message: `The lab has no ${method} ${path}.` } };
}

function departureOf(response: ServerResponse): AbortSignal {
  const departure = new AbortController();
  response.once("close", () => departure.abort());
  return departure.signal;
}
