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
import type { Client, Scene, Shown } from "./client.ts";

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** The protocol's own client library, as editors use it. */
export class SdkClient implements Client {
  readonly #scene: Scene;
  #child: Child;
  #connection: ClientConnection;
  #session = "";
  #permission = "reject";
  #text = "";
  #history = "";
  #asked = 0;
  #onText = (): void => {};

  private constructor(scene: Scene) {
    this.#scene = scene;
    [this.#child, this.#connection] = this.#start();
  }

  static async open(scene: Scene): Promise<SdkClient> {
    const self = new SdkClient(scene);
    await self.#initialize();
    const session: NewSessionRequest = { cwd: scene.workspace, mcpServers: [] };
    self.#session = (await self.#connection.agent.request(methods.agent.session.new, session)).sessionId;
    return self;
  }

  async prompt(text: string, permission: "allow" | "reject"): Promise<Shown> {
    [this.#text, this.#asked, this.#permission] = ["", 0, permission];
    const message: PromptRequest = { sessionId: this.#session, prompt: [{ type: "text", text }] };
    const { stopReason } = await this.#connection.agent.request(methods.agent.session.prompt, message);
    return { text: this.#text, stopReason, asked: this.#asked };
  }

  async promptAndCancel(text: string): Promise<Shown> {
    this.#onText = () => {
      this.#onText = () => {};
      void this.#connection.agent.notify(methods.agent.session.cancel, { sessionId: this.#session });
    };
    return await this.prompt(text, "reject");
  }

  async reopen(): Promise<string> {
    await this.#hangUp();
    [this.#child, this.#connection] = this.#start();
    await this.#initialize();
    this.#history = "";
    const session = { sessionId: this.#session, cwd: this.#scene.workspace, mcpServers: [] };
    await this.#connection.agent.request(methods.agent.session.load, session);
    return this.#history;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#hangUp();
  }

  #start(): [Child, ClientConnection] {
    const [program, ...args] = this.#scene.command;
    const { workspace: cwd, environment: env } = this.#scene;
    const child = spawn(program, args, { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
    const connection = client()
      .onNotification(methods.client.session.update, ({ params: { update } }) => {
        if (!("content" in update) || !("type" in (update.content ?? {}))) return;
        const words = JSON.stringify(update.content);
        this.#history += words;
        if (update.sessionUpdate !== "agent_message_chunk" || update.content.type !== "text") return;
        this.#text += update.content.text;
        this.#onText();
      })
      .onRequest(methods.client.session.requestPermission, ({ params: { options } }) => {
        this.#asked += 1;
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

  async #hangUp(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.stdin.end();
    await ended;
    this.#connection.close();
  }
}
