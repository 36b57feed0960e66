import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Client, Scene, Shown } from "./client.ts";
import { acpxProgram } from "./install-acpx.ts";

/** Its exit code for a prompt that was answered, but in which it refused all that it was asked for. */
const permissionDenied = 5;

/** A message of the protocol, as far as it is looked at. */
interface Message {
  readonly method?: string;
  readonly params?: {
    readonly update?: { readonly sessionUpdate: string; readonly content?: { readonly text?: string } };
  };
  readonly result?: { readonly stopReason?: string };
}

/** `acpx` from npm: a client on the command line, whose owner process holds the agent between commands. */
export class AcpxClient implements Client {
  readonly #scene: Scene;

  private constructor(scene: Scene) {
    this.#scene = scene;
  }

  static async open(scene: Scene): Promise<AcpxClient> {
    const self = new AcpxClient(scene);
    await Array.fromAsync(self.#run(["sessions", "new"]));
    return self;
  }

  async prompt(text: string, permission: "allow" | "reject"): Promise<Shown> {
    return await this.#prompt(text, permission, async () => {});
  }

  async promptAndCancel(text: string): Promise<Shown> {
    return await this.#prompt(text, "reject", async () => {
      await Array.fromAsync(this.#run(["cancel"]));
    });
  }

  /** The next prompt starts the agent anew, as soon as the owner of the last is gone. It then resumes, without history. */
  async reopen(): Promise<null> {
    for (;;) {
      const told = (await Array.fromAsync(this.#run(["status"]))).join("");
      if ((JSON.parse(told) as { status: string }).status === "idle") return null;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Array.fromAsync(this.#run(["sessions", "close"]));
  }

  async #prompt(text: string, permission: "allow" | "reject", onText: () => Promise<void>): Promise<Shown> {
    await this.reopen(); // an owner that is just going takes no prompt
    let [said, stopReason, asked] = ["", "none", 0];
    let shown: Promise<void> | undefined;
    for await (const line of this.#run(["prompt", text], permission === "allow" ? "--approve-all" : "--deny-all")) {
      if (!line.startsWith("{")) continue;
      const { method, params, result } = JSON.parse(line) as Message;
      if (method === "session/request_permission") asked += 1;
      stopReason = result?.stopReason ?? stopReason;
      if (params?.update?.sessionUpdate !== "agent_message_chunk") continue;
      said += params.update.content?.text ?? "";
      shown ??= onText();
    }
    await shown;
    return { text: said, stopReason, asked };
  }

  async *#run(words: readonly string[], ...options: string[]): AsyncGenerator<string> {
    const { command, workspace, environment } = this.#scene;
    const agent = command.map((word) => `'${word}'`).join(" ");
    // A short life for the owner, since each prompt waits for the end of it.
    const common = ["--agent", agent, "--cwd", workspace, "--format", "json", "--ttl", "1", ...options];
    const child = spawn(acpxProgram, [...common, ...words], {
      cwd: workspace,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = once(child, "close");
    let complaint = "";
    child.stderr.on("data", (chunk: Buffer) => (complaint += chunk.toString()));
    yield* createInterface({ input: child.stdout });
    const [code] = (await ended) as [number | null];
    if (code !== 0 && code !== permissionDenied) throw new Error(`acpx ${words[0]} ended with ${code}: ${complaint}`);
  }
}
