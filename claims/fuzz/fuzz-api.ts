import { Agent, request } from "node:http";
import { Problem, problemMediaType, routes, type Route } from "@fairlead/api";
import { withScript } from "@fairlead/kit";
import { SeededRandom } from "../../measure/seeded-random.ts";
import { mapConcurrently } from "../daemon/map-concurrently.ts";
import { createApiCall, type ApiCall, type CallTargets } from "./create-api-call.ts";

export interface ApiFuzzOptions {
  readonly socket: string;
  readonly workspace: string;
  readonly seed: number;
  /** Number of the first call. A call depends only on the seed and its number. */
  readonly first: number;
  readonly count: number;
  readonly onProblem?: (problem: string) => void;
}

/** What schema-made calls got for an answer. */
export interface ApiFuzzReport {
  readonly calls: number;
  /** Answers by the first digit of their status. */
  readonly byClass: Readonly<Record<string, number>>;
  readonly serverErrors: number;
  /** Calls that got no answer. */
  readonly unanswered: number;
  /** Answers that do not fit the schema of their route or of a problem. */
  readonly invalidAnswers: number;
  /** Sessions that the calls started. */
  readonly sessions: number;
  /** Sessions that could not be stopped afterwards. */
  readonly notStopped: number;
}

interface ApiAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Calls in flight. More would wait for each other, since the daemon has one thread. */
const concurrency = 16;
/** Sessions that may be open at a time. Each has a keeper and an agent, which take memory. */
const maxOpenSessions = 16;
const callsPerRound = 400;
const names = ["f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7"] as const;

/** Sends calls that are made from the API's schemas to a service, whose sessions have cheap agents. */
export async function fuzzApi(options: ApiFuzzOptions): Promise<ApiFuzzReport> {
  using client = new ApiClient(options.socket);
  const report = {
    calls: 0,
    byClass: {} as Record<string, number>,
    serverErrors: 0,
    unanswered: 0,
    invalidAnswers: 0,
    sessions: 0,
    notStopped: 0,
  };
  const known = createKnownValues(options.workspace);
  for (let done = 0; done < options.count; done += callsPerRound) {
    await client.startMissing(options.workspace);
    const ids = await client.listSessions();
    const sessions: CallTargets["sessions"] = [...names, ...ids.flatMap((id) => [id, id.slice(0, 5)])];
    const numbers = Array.from(
      { length: Math.min(callsPerRound, options.count - done) },
      (_, index) => options.first + done + index,
    );
    await mapConcurrently(concurrency, numbers, async (number) => {
      const random = new SeededRandom(Math.imul(options.seed, 0x9e3779b1) + number);
      const call = createApiCall({ known, sessions }, random);
      const answer = await client.send(call);
      report.calls += 1;
      const problem = judgeAnswer(call, answer);
      if (answer.status !== 0) {
        const group = `${Math.floor(answer.status / 100)}xx`;
        report.byClass[group] = (report.byClass[group] ?? 0) + 1;
      }
      if (problem === null) return;
      report[problem] += 1;
      options.onProblem?.(
        `${problem}: call ${number}: ${describeCall(call)} → ${answer.status} ${answer.text.slice(0, 300)}`,
      );
    });
    report.notStopped += await client.stopSessions(maxOpenSessions);
  }
  report.notStopped += await client.stopSessions(0);
  report.sessions = (await client.listSessions()).length;
  return report;
}

function createKnownValues(workspace: string): CallTargets["known"] {
  const script = withScript("Go.", [{ text: "A few words.", chunks: 2 }]);
  const asking = withScript("Ask.", [{ tools: [{ name: "run", input: { command: "true" } }] }]);
  return {
    agent: ["scripted", "scripted", "shell", "shell", "none", "claude-code"],
    workspace: [workspace, workspace, workspace, `${workspace}/missing`, "relative", "/dev/null"],
    name: names,
    text: [script, asking, "true", "echo a; sleep 0.1", "exit 3"],
    prompt: [script, "true"],
    decision: ["d", "1", "d1", "__proto__", "constructor"],
    mode: ["default", "plan", "full-auto"],
    settings: [{}, {}, { timeout: 5000 }, { timeout: "long" }, { none: 1 }],
  };
}

function judgeAnswer(call: ApiCall, answer: ApiAnswer): "serverErrors" | "unanswered" | "invalidAnswers" | null {
  if (answer.status === 0) return "unanswered";
  if (answer.status >= 500) return "serverErrors";
  if (call.method === "HEAD") return null;
  if (answer.status >= 400)
    return answer.type === problemMediaType && Problem.safeParse(parse(answer.text)).success ? null : "invalidAnswers";
  const { reply }: Route = routes[call.route];
  // Another method at the same path is another route.
  if (call.method !== routes[call.route].method) return null;
  if (answer.status !== 200 || reply === null || !answer.type.startsWith("application/json")) return null;
  return reply.safeParse(parse(answer.text)).success ? null : "invalidAnswers";
}

function describeCall({ method, path, headers, body }: ApiCall): string {
  return `${method} ${path.slice(0, 200)} ${JSON.stringify(headers)} ${body?.toString("latin1").slice(0, 300) ?? "no body"}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Sends requests as they are: unlike `fetch`, it does not normalize paths. */
class ApiClient implements Disposable {
  readonly #socket: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: concurrency });

  constructor(socket: string) {
    this.#socket = socket;
  }

  /** If there is no answer, the status is 0 and the text says why. */
  async send(call: Omit<ApiCall, "route">): Promise<ApiAnswer> {
    const answer = await this.#sendOnce(call, this.#agent);
    if (answer !== "closed") return answer;
    // The server closed an idle connection while the request was on its way. Clients send it again, here over a new
    // connection: the server may have closed the other idle ones at the same moment.
    const agent = new Agent({ keepAlive: true });
    using _connection = { [Symbol.dispose]: () => agent.destroy() };
    const repeated = await this.#sendOnce(call, agent);
    return repeated === "closed" ? { status: 0, type: "", text: "The connection was closed." } : repeated;
  }

  #sendOnce({ method, path, headers, body }: Omit<ApiCall, "route">, agent: Agent): Promise<ApiAnswer | "closed"> {
    const { promise, resolve } = Promise.withResolvers<ApiAnswer | "closed">();
    const outgoing = request({
      socketPath: this.#socket,
      agent,
      method,
      path,
      headers: {
        host: "localhost",
        ...(body && { "content-type": "application/json", "content-length": body.length }),
        ...headers,
      },
      timeout: 120_000,
    });
    outgoing.on("error", ({ code, message }: NodeJS.ErrnoException) => {
      const isClosed = outgoing.reusedSocket && (code === "ECONNRESET" || code === "EPIPE");
      const where = outgoing.reusedSocket ? "a used connection" : "a new connection";
      resolve(isClosed ? "closed" : { status: 0, type: "", text: `${code ?? ""} ${message} (${where})` });
    });
    outgoing.on("timeout", () => outgoing.destroy(new Error("There is no answer.")));
    outgoing.on("response", (response) => {
      const { statusCode: status = 0, headers: received } = response;
      const type = received["content-type"] ?? "";
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => (text += part));
      response.on("close", () => resolve({ status, type, text }));
      // A stream of events has no end.
      if (type === "text/event-stream") response.once("data", () => response.destroy());
    });
    outgoing.end(body ?? undefined);
    return promise;
  }

  async post(path: string, body: object): Promise<ApiAnswer> {
    return await this.send({ method: "POST", path, headers: {}, body: Buffer.from(JSON.stringify(body)) });
  }

  async listSessions(state: (state: string) => boolean = () => true): Promise<string[]> {
    const ids: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const path = `/v1/sessions?order=session&limit=1000${cursor && `&cursor=${cursor}`}`;
      const answer = await this.send({ method: "GET", path, headers: {}, body: null });
      const page = routes.sessions.reply.parse(parse(answer.text));
      ids.push(...page.sessions.filter((view) => state(view.state)).map(({ session }) => session));
      cursor = page.next;
    }
    return ids;
  }

  /** Starts the sessions whose names no open session has, half of them of each agent. */
  async startMissing(workspace: string): Promise<void> {
    for (const [index, name] of names.entries()) {
      const agent = index % 2 === 0 ? "scripted" : "shell";
      const answer = await this.post("/v1/sessions", { agent, workspace, name });
      // Another session may have the name.
      if (answer.status !== 200 && answer.status !== 422)
        throw new Error(`A session cannot be started: ${answer.text}`);
    }
  }

  /** Stops the open sessions above a number. Returns how many could not be stopped. */
  async stopSessions(limit: number): Promise<number> {
    const open = (await this.listSessions((state) => state !== "ended")).slice(limit);
    const answers = await mapConcurrently(4, open, (id) => this.post(`/v1/sessions/${id}/stop`, {}));
    return answers.filter((answer) => answer.status !== 200).length;
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}
