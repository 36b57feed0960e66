import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { AcpTestClient, ClientSetup, PromptResult } from "./acp-test-client.ts";
import { acpxProgram } from "./install-acpx.ts";

/** Its exit code for a prompt that was answered while it rejected every permission. */
const permissionDenied = 5;

/** The fields of a protocol message that this client reads. */
interface AcpMessage {
  readonly method?: string;
  readonly params?: {
    readonly update?: { readonly sessionUpdate: string; readonly content?: { readonly text?: string } };
  };
  readonly result?: { readonly stopReason?: string };
}

/** `acpx` from npm: a command-line client whose owner process holds the agent between commands. */
export class AcpxClient implements AcpTestClient {
  readonly #setup: ClientSetup;

  private constructor(setup: ClientSetup) {
    this.#setup = setup;
  }

  static async open(setup: ClientSetup): Promise<AcpxClient> {
    const self = new AcpxClient(setup);
    await Array.fromAsync(self.#run(["sessions", "new"]));
    return self;
  }

  async prompt(text: string, permission: "allow" | "reject"): Promise<PromptResult> {
    return await this.#prompt(text, permission, async () => {});
  }

  async promptAndCancel(text: string): Promise<PromptResult> {
    return await this.#prompt(text, "reject", async () => {
      await Array.fromAsync(this.#run(["cancel"]));
    });
  }

  /** Waits until the owner process has exited. The next prompt starts the agent again and resumes without history. */
  async reopen(): Promise<null> {
    for (;;) {
      const output = (await Array.fromAsync(this.#run(["status"]))).join("");
      if ((JSON.parse(output) as { status: string }).status === "idle") return null;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Array.fromAsync(this.#run(["sessions", "close"]));
  }

  async #prompt(text: string, permission: "allow" | "reject", onText: () => Promise<void>): Promise<PromptResult> {
    await this.reopen(); // an owner process that is exiting accepts no prompt
    let [answer, stopReason, permissionRequests] = ["", "none", 0];
    let textHandled: Promise<void> | undefined;
    for await (const line of this.#run(["prompt", text], permission === "allow" ? "--approve-all" : "--deny-all")) {
      if (!line.startsWith("{")) continue;
      const { method, params, result } = JSON.parse(line) as AcpMessage;
      if (method === "session/request_permission") permissionRequests += 1;
      stopReason = result?.stopReason ?? stopReason;
      if (params?.update?.sessionUpdate !== "agent_message_chunk") continue;
      answer += params.update.content?.text ?? "";
      textHandled ??= onText();
    }
    await textHandled;
    return { text: answer, stopReason, permissionRequests };
  }

  async *#run(commandArgs: readonly string[], ...options: string[]): AsyncGenerator<string> {
    const { command, workspace, environment } = this.#setup;
    const agent = command.map((part) => `'${part}'`).join(" ");
    // The owner's lifetime is short, because each prompt waits for its end.
    const common = ["--agent", agent, "--cwd", workspace, "--format", "json", "--ttl", "1", ...options];
    const child = spawn(acpxProgram, [...common, ...commandArgs], {
      cwd: workspace,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = once(child, "close");
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    yield* createInterface({ input: child.stdout });
    const [code] = (await ended) as [number | null];
    if (code !== 0 && code !== permissionDenied)
      throw new Error(`acpx ${commandArgs[0]} ended with ${code}: ${stderr}`);
  }
}
