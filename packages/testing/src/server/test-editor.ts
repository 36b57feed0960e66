import {
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type ClientCapabilities,
  type ClientConnection,
  type CreateElicitationResponse,
  type McpServer,
  type PromptResponse,
  type RequestPermissionOutcome,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { Fairlead, StartRequest } from "@fairlead/api";
import { serveAcp } from "../../../server/src/acp/serve-acp.ts";

type PermissionHandler = (
  request: RequestPermissionRequest,
) => RequestPermissionOutcome | Promise<RequestPermissionOutcome>;

/** An editor that uses the ACP SDK's client and is connected to `serveAcp` by two pipes. Disposing it disconnects. */
export class TestEditor implements AsyncDisposable {
  readonly updates: SessionUpdate[] = [];
  readonly permissionRequests: RequestPermissionRequest[] = [];
  readonly logLines: string[] = [];
  readonly capabilities: ClientCapabilities;
  onPermissionRequest: PermissionHandler = ({ options }) => selectOption(options, "reject_once");
  onElicitation: () => CreateElicitationResponse = () => ({ action: "decline" });
  readonly #connection: ClientConnection;
  readonly #serving: Promise<void>;
  readonly #input: WritableStream<Uint8Array>;
  readonly #conditionChecks = new Set<() => void>();

  constructor(
    fairlead: Fairlead,
    startOptions: Pick<StartRequest, "agent" | "mode" | "settings"> = {},
    capabilities: ClientCapabilities = {},
  ) {
    this.capabilities = capabilities;
    const toServer = new TransformStream<Uint8Array, Uint8Array>();
    const toEditor = new TransformStream<Uint8Array, Uint8Array>();
    this.#input = toServer.writable;
    const streams = { input: toServer.readable, output: toEditor.writable };
    this.#serving = serveAcp({ fairlead, startOptions, ...streams, log: (line) => this.logLines.push(line) });
    this.#connection = client()
      .onNotification(methods.client.session.update, ({ params }) => {
        this.updates.push(params.update);
        for (const check of this.#conditionChecks) check();
      })
      .onRequest(methods.client.session.requestPermission, async ({ params }) => {
        this.permissionRequests.push(params);
        for (const check of this.#conditionChecks) check();
        return { outcome: await this.onPermissionRequest(params) };
      })
      .onRequest(methods.client.elicitation.create, () => this.onElicitation())
      .connect(ndJsonStream(toServer.writable, toEditor.readable));
  }

  get agent(): ClientConnection["agent"] {
    return this.#connection.agent;
  }

  initialize() {
    const { capabilities: clientCapabilities } = this;
    return this.agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities });
  }

  async open(cwd: string, mcpServers: McpServer[] = []): Promise<string> {
    await this.initialize();
    const { sessionId } = await this.agent.request(methods.agent.session.new, { cwd, mcpServers });
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

  /** Resolves once the condition is true. Every update and every permission request checks it again. */
  async waitUntil(condition: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = (): void => void (condition() && resolve());
    this.#conditionChecks.add(check);
    check();
    await promise;
    this.#conditionChecks.delete(check);
  }

  /** Joins the text of all updates of one kind. */
  textOf(kind: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk"): string {
    return this.updates
      .flatMap((update) =>
        update.sessionUpdate === kind && update.content.type === "text" ? [update.content.text] : [],
      )
      .join("");
  }

  /** Disconnects, and waits until `serveAcp` has paused or left the sessions. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection.close();
    await this.#input.close().catch(() => {});
    await this.#serving;
  }
}

export function selectOption(options: RequestPermissionRequest["options"], kind: string): RequestPermissionOutcome {
  const option = options.find((candidate) => candidate.kind === kind);
  return option === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId: option.optionId };
}
