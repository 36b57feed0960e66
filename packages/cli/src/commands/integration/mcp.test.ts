import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";
import { describe, expect, it } from "vitest";

const mainFile = fileURLToPath(new URL("../../main.ts", import.meta.url));

/** A running `fairlead mcp`, and requests to it. */
class McpProcess implements AsyncDisposable {
  readonly #child;
  readonly #lines: AsyncIterator<string>;
  #requests = 0;
  #errors = "";

  constructor({ home, stateFolder, workspace }: TestCli, words: readonly string[], variables: NodeJS.ProcessEnv = {}) {
    const env = { ...process.env, FAIRLEAD_HOME: home, XDG_STATE_HOME: stateFolder, ...variables };
    this.#child = spawn(process.execPath, [mainFile, "mcp", ...words], { cwd: workspace, env });
    this.#child.stderr.on("data", (data: Buffer) => (this.#errors += data.toString()));
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async request(method: string, params: object): Promise<{ readonly result: Record<string, unknown> }> {
    this.#requests += 1;
    const message = { jsonrpc: "2.0", id: this.#requests, method, params };
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
    const { value, done = false } = await this.#lines.next();
    if (done) throw new Error(this.#errors);
    return JSON.parse(value as string) as { readonly result: Record<string, unknown> };
  }

  async initialize(): Promise<Record<string, unknown>> {
    const clientInfo = { name: "test", version: "0" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    const { result } = await this.request("initialize", params);
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
    return result;
  }

  async call(name: string, input: object): Promise<{ readonly isError: boolean; readonly text: string }> {
    const { result } = await this.request("tools/call", { name, arguments: input });
    const [{ text } = { text: "" }] = result["content"] as { text: string }[];
    return { isError: result["isError"] === true, text };
  }

  /** Closes the input, and returns how the process ended. */
  async close(): Promise<{ readonly code: number | null; readonly errors: string }> {
    const closed = once(this.#child, "close") as Promise<[number | null]>;
    this.#child.stdin.end();
    const [code] = await closed;
    return { code, errors: this.#errors };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null) await this.close();
  }
}

describe("mcp", () => {
  it("starts a session through the daemon, which continues when the input ends", async () => {
    await using cli = new TestCli();
    await using mcp = new McpProcess(cli, []);
    expect(await mcp.initialize()).toMatchObject({ serverInfo: { name: "fairlead" } });
    const { text, isError } = await mcp.call("start_session", { agent: "scripted", prompt: "Greet." });
    expect({ text, isError }).toMatchObject({ isError: false });
    const { session } = JSON.parse(text) as { session: string };
    expect((await mcp.call("wait", { session })).text).toContain("waits for a person to decide: write greeting.txt");
    expect(await mcp.close()).toEqual({ code: 0, errors: "" });
    const sessions = await cli.json<object>("ls");
    expect(sessions).toMatchObject([{ session, state: "waiting", workspace: cli.workspace, mode: "default" }]);
  });

  it.each([
    ["in the daemon", "on"],
    ["in its own process", "off"],
  ])(
    "does not have the scope approve: it drives no session that runs without approvals, %s",
    async (_where, daemon) => {
      await using cli = new TestCli();
      await cli.run(["run", "scripted", "-m", "full-auto", "--name", "automatic", "-d", "Greet."]);
      if (daemon === "off") await cli.run(["down"]);
      await using mcp = new McpProcess(cli, [], { FAIRLEAD_DAEMON: daemon });
      await mcp.initialize();
      expect(await mcp.call("send", { session: "automatic", text: "Greet again." })).toEqual({
        isError: true,
        text: expect.stringContaining("may not approve in advance") as string,
      });
      expect(await mcp.call("start_session", { agent: "shell", prompt: "touch x" })).toMatchObject({ isError: true });
    },
  );

  it("offers only reading tools with --read-only", async () => {
    await using cli = new TestCli();
    await using mcp = new McpProcess(cli, ["--read-only"]);
    await mcp.initialize();
    const { result } = await mcp.request("tools/list", {});
    expect((result["tools"] as { name: string }[]).map(({ name }) => name)).toEqual([
      "wait",
      "read_diff",
      "list_sessions",
    ]);
    expect(await mcp.call("list_sessions", {})).toEqual({ isError: false, text: "[]" });
  });
});
