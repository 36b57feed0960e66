import {
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type ClientCapabilities,
  type ClientConnection,
  type CreateElicitationResponse,
  type PromptResponse,
  type RequestPermissionOutcome,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { Fairlead, Start } from "@fairlead/api";
import { serveAcp } from "./serve-acp.ts";

type Answering = (request: RequestPermissionRequest) => RequestPermissionOutcome | Promise<RequestPermissionOutcome>;

/** An editor with the protocol's own client in it, joined to the face by two pipes. Disposing hangs up. */
export class EditorForTest implements AsyncDisposable {
  readonly updates: SessionUpdate[] = [];
  readonly asked: RequestPermissionRequest[] = [];
  readonly logged: string[] = [];
  readonly capabilities: ClientCapabilities;
  answering: Answering = ({ options }) => select(options, "reject_once");
  filling: () => CreateElicitationResponse = () => ({ action: "decline" });
  readonly #connection: ClientConnection;
  readonly #served: Promise<void>;
  readonly #hangUp: WritableStream<Uint8Array>;
  readonly #waiting = new Set<() => void>();

  constructor(fairlead: Fairlead, order: Pick<Start, "agent" | "mode"> = {}, capabilities: ClientCapabilities = {}) {
    this.capabilities = capabilities;
    const there = new TransformStream<Uint8Array, Uint8Array>();
    const back = new TransformStream<Uint8Array, Uint8Array>();
    this.#hangUp = there.writable;
    const streams = { input: there.readable, output: back.writable };
    this.#served = serveAcp({ fairlead, order, ...streams, log: (line) => this.logged.push(line) });
    this.#connection = client()
      .onNotification(methods.client.session.update, ({ params }) => {
        this.updates.push(params.update);
        for (const look of this.#waiting) look();
      })
      .onRequest(methods.client.session.requestPermission, async ({ params }) => {
        this.asked.push(params);
        for (const look of this.#waiting) look();
        return { outcome: await this.answering(params) };
      })
      .onRequest(methods.client.elicitation.create, () => this.filling())
      .connect(ndJsonStream(there.writable, back.readable));
  }

  get agent(): ClientConnection["agent"] {
    return this.#connection.agent;
  }

  initialize() {
    const { capabilities: clientCapabilities } = this;
    return this.agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities });
  }

  async open(cwd: string): Promise<string> {
    await this.initialize();
    const { sessionId } = await this.agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
    return sessionId;
  }

  load(sessionId: string, cwd: string) {
    return this.agent.request(methods.agent.session.load, { sessionId, cwd, mcpServers: [] });
  }

  prompt(sessionId: string, text: string): Promise<PromptResponse> {
    return this.agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
  }

  async cancel(sessionId: string): Promise<void> {
    await this.agent.notify(methods.agent.session.cancel, { sessionId });
  }

  /** Resolves when something is so, after whatever update or question makes it so. */
  async until(isSo: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (): void => void (isSo() && resolve());
    this.#waiting.add(look);
    look();
    await promise;
    this.#waiting.delete(look);
  }

  /** All words of one kind, joined. */
  said(kind: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk"): string {
    return this.updates
      .flatMap((update) =>
        update.sessionUpdate === kind && update.content.type === "text" ? [update.content.text] : [],
      )
      .join("");
  }

  /** Hangs up, and waits until the face has seen to what it leaves. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection.close();
    await this.#hangUp.close().catch(() => {});
    await this.#served;
  }
}

export function select(options: RequestPermissionRequest["options"], kind: string): RequestPermissionOutcome {
  const option = options.find((one) => one.kind === kind);
  return option === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId: option.optionId };
}
