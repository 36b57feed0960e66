import { errorFromProblem, type ToolProgramFrame, type ToolProgramMessage, toolProgramPath } from "@fairlead/api";
import { cutText, type HostTool, type ToolResult } from "@fairlead/contract";
import type { Backoff } from "./backoff.ts";
import { ConnectionLost } from "./connection-lost.ts";
import type { SocketConnection, Transport } from "./transport.ts";

/** No agent gets more of a result, and a longer message would end the connection. */
const maxResultLength = 100_000;

type ToolCall = Extract<ToolProgramFrame, { call: unknown }>["call"];

/** Tools that this program runs for sessions. Disposing it takes them back: calls then fail in words that agents read. */
export interface OfferedTools extends AsyncDisposable {
  /** For `toolProgram` of a start whose agent is offered some of the tools. Keep it secret. */
  readonly program: string;
  /** Settles when the tools are taken back. Rejects if the service refuses them or cannot be reached any more. */
  readonly closed: Promise<void>;
}

/** Offers tools to a service, and runs them when agents call them. After a lost connection it connects again. */
export async function offerTools(
  transport: Transport,
  backoff: Backoff,
  tools: readonly HostTool[],
): Promise<OfferedTools> {
  const program = crypto.randomUUID();
  const closing = new AbortController();
  const offered = Promise.withResolvers<void>();
  const server = new ToolServer(program, tools, offered.resolve);
  const closed = server.run(transport, backoff, closing.signal);
  closed.then(() => offered.reject(new ConnectionLost("The tools were taken back.")), offered.reject);
  await offered.promise;
  return {
    program,
    closed,
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      await closed.catch(() => {}); // a caller that awaits `closed` gets the error
    },
  };
}

/** A call that this program runs. */
interface RunningCall {
  readonly result: Promise<ToolResult>;
  readonly abort: AbortController;
}

class ToolServer {
  readonly #offer: ToolProgramMessage;
  readonly #tools: ReadonlyMap<string, HostTool>;
  readonly #onOffered: () => void;
  /** The calls that run, by key. A lost connection does not end them: the service repeats a call, and gets this result. */
  readonly #running = new Map<string, RunningCall>();

  constructor(program: string, tools: readonly HostTool[], onOffered: () => void) {
    this.#offer = { offer: { program, tools: tools.map(({ offer }) => offer) } };
    this.#tools = new Map(tools.map((tool) => [tool.offer.name, tool]));
    this.#onOffered = onOffered;
  }

  async run(transport: Transport, backoff: Backoff, signal: AbortSignal): Promise<void> {
    using _ = { [Symbol.dispose]: () => this.#abortAll() };
    while (!signal.aborted) {
      try {
        await this.#serve(transport.connect(toolProgramPath, signal), backoff);
        if (!signal.aborted) throw new ConnectionLost("The service closed the connection.");
      } catch (error) {
        await backoff.waitAfter(error, signal);
      }
    }
  }

  async #serve(connection: SocketConnection, backoff: Backoff): Promise<void> {
    const keys = new Map<string, string>();
    connection.send(JSON.stringify(this.#offer));
    for await (const text of connection.messages) {
      const frame = JSON.parse(text) as ToolProgramFrame;
      if ("problem" in frame) throw errorFromProblem(frame.problem, frame.problem.status);
      if ("offered" in frame) {
        backoff.reset();
        this.#onOffered();
      } else if ("cancel" in frame) {
        this.#cancel(keys.get(frame.cancel.id) ?? "");
      } else {
        const { id, key } = frame.call;
        keys.set(id, key);
        void this.#answer(frame.call, connection).finally(() => keys.delete(id));
      }
    }
  }

  async #answer(call: ToolCall, connection: SocketConnection): Promise<void> {
    const running = this.#running.get(call.key) ?? this.#start(call);
    const { outcome, text } = await running.result;
    const result = { id: call.id, outcome, text: cutText(text, maxResultLength) };
    connection.send(JSON.stringify({ result } satisfies ToolProgramMessage));
  }

  #start({ tool, input, session, call, key, workspace, limits }: ToolCall): RunningCall {
    const abort = new AbortController();
    const context = { session, call, key, workspace, signal: abort.signal, ...(limits && { limits }) };
    const use = async (): Promise<ToolResult> => {
      try {
        const result = await this.#tools.get(tool)?.use(input, context);
        return result ?? { outcome: "failed", text: `There is no tool ${tool}.` };
      } catch (error) {
        return { outcome: "failed", text: `The tool failed: ${String(error)}` };
      } finally {
        if (this.#running.get(key) === running) this.#running.delete(key);
      }
    };
    const started = Promise.withResolvers<ToolResult>();
    const running: RunningCall = { result: started.promise, abort };
    this.#running.set(key, running);
    void use().then(started.resolve);
    return running;
  }

  #cancel(key: string): void {
    this.#running.get(key)?.abort.abort();
    this.#running.delete(key);
  }

  #abortAll(): void {
    for (const key of this.#running.keys()) this.#cancel(key);
  }
}
