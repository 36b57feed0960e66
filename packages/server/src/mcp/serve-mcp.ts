import { randomUUID } from "node:crypto";
import { finished } from "node:stream/promises";
import type { Readable, Writable } from "node:stream";
import type { HostTool } from "@fairlead/contract";
import { createSessionTools, type SessionToolsPort } from "@fairlead/tools";
import { Server, type CallToolResult, type Tool } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";

export interface ServeMcpOptions {
  /** What the tools use. A connection to a daemon should have no scope but `read` and `drive`. */
  readonly fairlead: SessionToolsPort;
  /** The folder in which sessions work, unless a call names another one. */
  readonly workspace: string;
  readonly version: string;
  /** Offers only the tools that change nothing. */
  readonly readOnly?: boolean;
  readonly input: Readable;
  readonly output: Writable;
  /** Closes the connection, as if the client had disconnected. */
  readonly signal?: AbortSignal;
  /** Receives errors that the protocol cannot report to the client. */
  readonly log?: (line: string) => void;
}

/** The most calls that run at the same time. Each one that waits has a connection to the daemon. */
const maxRunningCalls = 64;

const instructions =
  "Fairlead runs coding agents in sessions. Start one with start_session, then call wait. " +
  "What an agent asks to do may need a person's approval. No tool gives it: tell the person, who runs `fairlead approve`.";

/**
 * Serves the session tools over the Model Context Protocol, until the client closes the input. Sessions continue then.
 * Both the protocol with `initialize` and the one without it (2026-07-28) are served.
 */
export async function serveMcp(options: ServeMcpOptions): Promise<void> {
  const { input, output, version, readOnly = false, log = () => {} } = options;
  const tools = createSessionTools(options.fairlead, { takesWorkspace: true }).filter(
    ({ offer }) => !readOnly || offer.readOnly === true,
  );
  const calls = new RunningCalls(tools, options.workspace);
  const offers = tools.map(toMcpTool);
  const createServer = (): Server => {
    const information = { name: "fairlead", title: "Fairlead", version };
    const server = new Server(information, { capabilities: { tools: {} }, instructions });
    server.setRequestHandler("tools/list", () => ({ tools: offers }));
    server.setRequestHandler("tools/call", ({ params }, { mcpReq }) =>
      calls.run(params.name, params.arguments ?? {}, { call: String(mcpReq.id), signal: mcpReq.signal }),
    );
    return server;
  };
  const transport = new StdioServerTransport(input, output);
  const connection = serveStdio(createServer, { transport, onerror: (error) => log(error.message) });
  const closing = options.signal ? { signal: options.signal } : {};
  // The input fails if the client is killed. That is an end, too.
  await finished(input, { writable: false, ...closing }).catch(() => {});
  await connection.close();
  await calls.settle();
}

/** Runs the calls of one connection. */
class RunningCalls {
  readonly #tools: ReadonlyMap<string, HostTool>;
  readonly #workspace: string;
  readonly #running = new Set<Promise<unknown>>();
  /** A client may use the id of a request again, on this connection and on others. A key is never used again. */
  readonly #connection = randomUUID();
  #count = 0;

  constructor(tools: readonly HostTool[], workspace: string) {
    this.#tools = new Map(tools.map((tool) => [tool.offer.name, tool]));
    this.#workspace = workspace;
  }

  async run(
    name: string,
    input: unknown,
    { call, signal }: { readonly call: string; readonly signal: AbortSignal },
  ): Promise<CallToolResult> {
    const tool = this.#tools.get(name);
    if (tool === undefined) return toResult(`There is no tool ${name}.`, true);
    if (this.#running.size >= maxRunningCalls)
      return toResult(`${maxRunningCalls} calls are running. Wait for one of them, and call again.`, true);
    this.#count += 1;
    const session = `mcp-${this.#connection}`;
    const context = { session, call, key: `${session}-${this.#count}`, workspace: this.#workspace, signal };
    const running = tool.use(input, context);
    this.#running.add(running);
    const { outcome, text } = await running.finally(() => this.#running.delete(running));
    return toResult(text, outcome !== "done");
  }

  /** Waits for the calls that still run: a session that is about to start is started, and then continues. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#running);
  }
}

function toMcpTool({ offer: { name, description, inputSchema, readOnly } }: HostTool): Tool {
  return {
    name,
    description,
    inputSchema: { ...inputSchema, type: "object" },
    annotations: { readOnlyHint: readOnly === true, openWorldHint: false },
  };
}

function toResult(text: string, isError: boolean): CallToolResult {
  return { content: [{ type: "text", text }], ...(isError && { isError }) };
}
