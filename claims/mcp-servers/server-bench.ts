import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { adapters } from "@fairlead/adapters";
import type { TestBench } from "@fairlead/conformance";
import type { McpServer } from "@fairlead/contract";
import { testBenches } from "@fairlead/lab";
import { Home } from "@fairlead/runtime";
import { LocalFairlead } from "@fairlead/service";

/** A call that reached the server. */
export interface NotedCall {
  readonly tool: string;
  readonly input: unknown;
  readonly seesHidden: boolean;
}

const serverFile = fileURLToPath(new URL("notes-server.ts", import.meta.url));

/** A real agent in the lab, and a user's server in its workspace. */
export class ServerBench implements AsyncDisposable {
  readonly agent: string;
  readonly workspace: string;
  readonly bench: TestBench;
  readonly fairlead: LocalFairlead;
  readonly server: McpServer;
  readonly #folder: string;
  readonly #log: string;

  private constructor(agent: string, folder: string, bench: TestBench, fairlead: LocalFairlead) {
    this.agent = agent;
    this.workspace = join(folder, "workspace");
    this.bench = bench;
    this.fairlead = fairlead;
    this.#folder = folder;
    this.#log = join(this.workspace, "calls.jsonl");
    const hidden = join(bench.environment["HOME"] ?? "", "private.txt");
    writeFileSync(hidden, "private");
    const program = join(this.workspace, "notes-server.ts");
    copyFileSync(serverFile, program);
    this.server = { name: "notes", command: process.execPath, args: [program, this.#log, hidden] };
  }

  static async open(agent: string): Promise<ServerBench> {
    const folder = mkdtempSync(join(tmpdir(), "notes-"));
    mkdirSync(join(folder, "workspace"));
    const openBench = testBenches[agent];
    if (openBench === undefined) throw new Error(`There is no test bench for ${agent}.`);
    const bench = await openBench(join(folder, "s"));
    mkdirSync(bench.environment["HOME"] ?? "", { recursive: true });
    const { environment } = bench;
    const home = new Home(join(folder, "h"));
    const fairlead = await LocalFairlead.open({ home, adapters, environment, defaultPolicy: true });
    return new ServerBench(agent, folder, bench, fairlead);
  }

  /** The message that makes the agent call the server's tool. */
  get prompt(): string {
    return this.bench.buildServerToolPrompt?.("notes", "add_note", { text: "Water the plants." }) ?? "";
  }

  get settings(): Record<string, unknown> {
    return { ...(this.bench.settings as Record<string, unknown> | undefined) };
  }

  get calls(): NotedCall[] {
    const lines = existsSync(this.#log) ? readFileSync(this.#log, "utf8").trim().split("\n") : [];
    return lines.map((line) => JSON.parse(line) as NotedCall);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fairlead[Symbol.asyncDispose]();
    await this.bench[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
