import type { McpServer, McpServerStdio } from "@agentclientprotocol/sdk";
import type { Client } from "@modelcontextprotocol/client";
import { openAiAgentVersion } from "../settings.ts";
import type { AgentTool } from "./agent-tool.ts";
import { createServerTool, listServerTools } from "./server-tool.ts";

/** Milliseconds: how long a server may take to start and to list its tools. */
const startTimeout = 30_000;
/** How long a server may take for the question which version of the protocol it speaks. Many do not answer it. */
const probeTimeout = 5000;

/** Variables that a server needs in a sandbox whose network is a proxy. The client adds those that every program needs. */
const proxyVariables = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"];

/** What the servers of a conversation offer. */
export interface ServerTools {
  readonly tools: readonly AgentTool[];
  /** Why servers or tools are missing, one sentence each. */
  readonly problems: readonly string[];
}

/** The MCP servers of a conversation. They start with it, and end with it. */
export class ServerConnections implements AsyncDisposable {
  /** Resolves when every server has started or failed. Never rejects. */
  readonly ready: Promise<ServerTools>;
  readonly #clients: Client[] = [];
  readonly #cwd: string;
  readonly #startTimeout: number;

  constructor(servers: readonly McpServer[], cwd: string, timeout = startTimeout) {
    this.#cwd = cwd;
    this.#startTimeout = timeout;
    this.ready = Promise.all(servers.map((server) => this.#open(server))).then((opened) => ({
      tools: opened.flatMap(({ tools }) => tools),
      problems: opened.flatMap(({ problems }) => problems),
    }));
  }

  async #open(server: McpServer): Promise<ServerTools> {
    if (!("command" in server)) return failed(`The MCP server ${server.name} is not a program.`);
    try {
      const client = await this.#connect(server);
      const { tools } = await client.listTools(undefined, { timeout: this.#startTimeout });
      const { offers, problems } = listServerTools(server.name, tools);
      return { tools: offers.map((offer) => createServerTool(offer, client)), problems };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return failed(`The MCP server ${server.name} is not available: ${reason}`);
    }
  }

  /** Connects with the stateless version of the protocol, or else with the one before it. */
  async #connect({ command, args, env }: McpServerStdio): Promise<Client> {
    // Loaded only for a conversation with servers, so that others start as quickly as without.
    const { Client: McpClient } = await import("@modelcontextprotocol/client");
    const { getDefaultEnvironment, StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
    const client = new McpClient(
      { name: "fairlead-openai", version: openAiAgentVersion },
      { versionNegotiation: { mode: "auto", probe: { timeoutMs: Math.min(probeTimeout, this.#startTimeout) } } },
    );
    this.#clients.push(client);
    const proxies = proxyVariables.map((name) => [name, process.env[name]]).filter(([, value]) => value !== undefined);
    const transport = new StdioClientTransport({
      command,
      args,
      cwd: this.#cwd,
      env: {
        ...getDefaultEnvironment(),
        ...(Object.fromEntries(proxies) as Record<string, string>),
        ...Object.fromEntries(env.map(({ name, value }) => [name, value])),
      },
    });
    await client.connect(transport, { timeout: this.#startTimeout });
    return client;
  }

  /** Ends the servers. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#clients.map((client) => client.close()));
  }
}

function failed(problem: string): ServerTools {
  return { tools: [], problems: [problem] };
}
