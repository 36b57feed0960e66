import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import {
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type ClientConnection,
  type NewSessionRequest,
  type PromptRequest,
} from "@agentclientprotocol/sdk";
import type { AcpTestClient, ClientSetup, PromptResult } from "./acp-test-client.ts";

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** The protocol's own client library, as editors use it. */
export class SdkClient implements AcpTestClient {
  readonly #setup: ClientSetup;
  #child: Child;
  #connection: ClientConnection;
  #session = "";
  #permission = "reject";
  #text = "";
  #history = "";
  #permissionRequests = 0;
  #onText = (): void => {};

  private constructor(setup: ClientSetup) {
    this.#setup = setup;
    [this.#child, this.#connection] = this.#start();
  }

  static async open(setup: ClientSetup): Promise<SdkClient> {
    const self = new SdkClient(setup);
    await self.#initialize();
    const session: NewSessionRequest = { cwd: setup.workspace, mcpServers: [] };
    self.#session = (await self.#connection.agent.request(methods.agent.session.new, session)).sessionId;
    return self;
  }

  async prompt(text: string, permission: "allow" | "reject"): Promise<PromptResult> {
    [this.#text, this.#permissionRequests, this.#permission] = ["", 0, permission];
    const message: PromptRequest = { sessionId: this.#session, prompt: [{ type: "text", text }] };
    const { stopReason } = await this.#connection.agent.request(methods.agent.session.prompt, message);
    return { text: this.#text, stopReason, permissionRequests: this.#permissionRequests };
  }

  async promptAndCancel(text: string): Promise<PromptResult> {
    this.#onText = () => {
      this.#onText = () => {};
      void this.#connection.agent.notify(methods.agent.session.cancel, { sessionId: this.#session });
    };
    return await this.prompt(text, "reject");
  }

  async reopen(): Promise<string> {
    await this.#closeStdin();
    [this.#child, this.#connection] = this.#start();
    await this.#initialize();
    this.#history = "";
    const session = { sessionId: this.#session, cwd: this.#setup.workspace, mcpServers: [] };
    await this.#connection.agent.request(methods.agent.session.load, session);
    return this.#history;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#closeStdin();
  }

  #start(): [Child, ClientConnection] {
    const [program, ...args] = this.#setup.command;
    const { workspace: cwd, environment: env } = this.#setup;
    const child = spawn(program, args, { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
    const connection = client()
      .onNotification(methods.client.session.update, ({ params: { update } }) => {
        if (!("content" in update) || !("type" in (update.content ?? {}))) return;
        const content = JSON.stringify(update.content);
        this.#history += content;
        if (update.sessionUpdate !== "agent_message_chunk" || update.content.type !== "text") return;
        this.#text += update.content.text;
        this.#onText();
      })
      .onRequest(methods.client.session.requestPermission, ({ params: { options } }) => {
        this.#permissionRequests += 1;
        const option = options.find(({ kind }) => kind === `${this.#permission}_once`);
        if (option === undefined) return { outcome: { outcome: "cancelled" } };
        return { outcome: { outcome: "selected", optionId: option.optionId } };
      })
      .connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>));
    return [child, connection];
  }

  async #initialize(): Promise<void> {
    await this.#connection.agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION });
  }

  async #closeStdin(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.stdin.end();
    await ended;
    this.#connection.close();
  }
}
