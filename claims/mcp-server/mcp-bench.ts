import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Scope } from "@fairlead/api";
import { RemoteFairlead } from "@fairlead/client";
import { nodeTransport } from "@fairlead/client/node";
import type { Event } from "@fairlead/contract";
import { Home } from "@fairlead/runtime";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const main = fileURLToPath(new URL("../../packages/cli/src/main.ts", import.meta.url));

/** How a program starts the MCP server. */
export interface McpCommand {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}

/** A daemon with its data directory, the person who owns it, and programs that connect to it over MCP. */
export class McpBench implements AsyncDisposable {
  readonly #cli: TestCli;
  readonly #clients = new AsyncDisposableStack();

  private constructor(environment: NodeJS.ProcessEnv) {
    this.#cli = new TestCli(environment);
  }

  static async open(environment: NodeJS.ProcessEnv = {}): Promise<McpBench> {
    const bench = new McpBench(environment);
    const { code, err } = await bench.#cli.run(["up"]);
    if (code !== 0) throw new Error(err);
    return bench;
  }

  get workspace(): string {
    return this.#cli.workspace;
  }

  createWorkspace(name: string): string {
    const folder = join(this.workspace, "..", name);
    mkdirSync(folder);
    return folder;
  }

  /** Runs a command of the person. */
  async runCommand(...words: readonly string[]): Promise<void> {
    const { code, err } = await this.#cli.run(words);
    if (code !== 0) throw new Error(err);
  }

  get serverCommand(): McpCommand {
    const { home, stateFolder } = this.#cli;
    const { PATH = "" } = process.env;
    return {
      command: process.execPath,
      args: [main, "mcp"],
      env: { PATH, FAIRLEAD_HOME: home, XDG_STATE_HOME: stateFolder },
    };
  }

  /** A connection to the daemon. Without scopes it is that of the person, who has all. */
  connect(scopes?: readonly Scope[]): RemoteFairlead {
    const socket = new Home(this.#cli.home).daemonSocket;
    return new RemoteFairlead(nodeTransport({ socket, ...(scopes && { scopes }) }));
  }

  /** Starts the MCP server, and connects the protocol's own client to it. */
  async openClient(mode: "legacy" | { readonly pin: string }): Promise<Client> {
    const client = new Client({ name: "claim", version: "0" }, { versionNegotiation: { mode } });
    await client.connect(new StdioClientTransport({ ...this.serverCommand, cwd: this.workspace, stderr: "ignore" }));
    this.#clients.defer(() => client.close());
    return client;
  }

  /** Returns the resolutions of all sessions that let a call run. */
  async readAllowed(): Promise<Event[]> {
    const person = this.connect();
    const allowed: Event[] = [];
    for (const { session } of (await person.sessions({ limit: 1000 })).sessions) {
      for await (const output of person.events(session)) {
        if (!("body" in output) || output.body.type !== "decision.resolved") continue;
        if (output.body.outcome === "allowed" || output.body.outcome === "answered") allowed.push(output);
      }
    }
    return allowed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#clients.disposeAsync();
    await this.#cli[Symbol.asyncDispose]();
  }
}

/** Calls a tool. A tool that the server does not have is an error of the call. */
export async function callTool(
  client: Client,
  name: string,
  input: object,
): Promise<{ text: string; isError: boolean }> {
  try {
    const { content, isError = false } = await client.callTool({ name, arguments: { ...input } });
    return { text: (content as { text?: string }[])[0]?.text ?? "", isError };
  } catch (error) {
    return { text: String(error), isError: true };
  }
}
