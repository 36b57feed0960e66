import type { AgentEvent, Delta, Effect, Observation, AgentCommand } from "@fairlead/contract";
import { acpDialect } from "../../../kit/src/acp/acp-dialect.ts";
import type { AcpDialectOptions, AcpState } from "../../../kit/src/acp/acp-state.ts";

const defaultOptions: AcpDialectOptions = {
  launch: () => ({ program: "agent", args: [], env: {}, cwd: "/w", stdin: "pipe" }),
  workspace: "/w",
  resumeSessionId: null,
  authMethod: null,
  mode: null,
  options: {},
  asksWhileInProgress: true,
  retryDeadline: 1000,
  startupWarnings: [],
  quirks: {},
};

type SentMessage = Record<string, unknown> & { id?: number; method?: string; params?: Record<string, unknown> };

/** Drives the ACP dialect in tests: plays the agent and collects events, deltas and effects. */
export class AcpDialectDriver {
  readonly events: AgentEvent[] = [];
  readonly deltas: Delta[] = [];
  readonly effects: Effect[] = [];
  readonly #dialect;
  state: AcpState;

  constructor(dialectOptions: Partial<AcpDialectOptions> = {}) {
    this.#dialect = acpDialect({ ...defaultOptions, ...dialectOptions });
    this.state = this.#dialect.initialState;
  }

  handle(command: AgentCommand): this {
    return this.#apply(this.#dialect.handle(this.state, command));
  }

  observe(observation: Observation): this {
    return this.#apply(this.#dialect.observe(this.state, observation));
  }

  receive(message: object): this {
    return this.observe({ kind: "line", stream: "out", text: JSON.stringify({ jsonrpc: "2.0", ...message }) });
  }

  /** Responds to the newest request of this method. */
  receiveResponse(method: string, response: { result: unknown } | { error: object }): this {
    const request = this.sentMessages.findLast((message) => message.method === method && message.id !== undefined);
    return this.receive({ id: request?.id, ...response });
  }

  receiveUpdate(update: object): this {
    return this.receive({ method: "session/update", params: { sessionId: "s", update } });
  }

  receiveText(text: string): this {
    return this.receiveUpdate({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  receivePermissionRequest(id: number, toolCall: object, kinds = ["allow_once", "reject_once"]): this {
    const options = kinds.map((kind, index) => ({ kind, optionId: `option ${index}`, name: kind }));
    return this.receive({ id, method: "session/request_permission", params: { sessionId: "s", toolCall, options } });
  }

  /** The messages that the dialect sent to the agent. */
  get sentMessages(): SentMessage[] {
    return this.effects.flatMap((effect) => (effect.type === "write" ? [JSON.parse(effect.text) as SentMessage] : []));
  }

  get eventTypes(): string[] {
    return this.events.map(({ type }) => type);
  }

  event<Type extends AgentEvent["type"]>(type: Type): Extract<AgentEvent, { type: Type }> | undefined {
    return this.events.find((event): event is Extract<AgentEvent, { type: Type }> => event.type === type);
  }

  #apply(transition: ReturnType<ReturnType<typeof acpDialect>["handle"]>): this {
    this.state = JSON.parse(JSON.stringify(transition.state)) as AcpState;
    this.events.push(...(transition.events ?? []));
    this.deltas.push(...(transition.deltas ?? []));
    this.effects.push(...(transition.effects ?? []));
    return this;
  }
}

export const initializeResult = { protocolVersion: 1, agentCapabilities: { loadSession: true } };
export const sendCommand = { type: "send", turn: "t1", text: "Do it." } as const;

export function openDriver(
  dialectOptions: Partial<AcpDialectOptions> = {},
  capabilities: object = initializeResult,
): AcpDialectDriver {
  return new AcpDialectDriver(dialectOptions)
    .handle({ type: "open" })
    .receiveResponse("initialize", { result: capabilities });
}

export function promptDriver(dialectOptions: Partial<AcpDialectOptions> = {}): AcpDialectDriver {
  return openDriver(dialectOptions)
    .receiveResponse("session/new", { result: { sessionId: "s", models: { currentModelId: "m" } } })
    .handle(sendCommand);
}

export function finishPrompt(driver: AcpDialectDriver, result: object = { stopReason: "end_turn" }): AcpDialectDriver {
  return driver.receiveResponse("session/prompt", { result });
}

export const writeCall = {
  toolCallId: "c1",
  title: "write note.txt",
  kind: "edit",
  content: [{ type: "diff", path: "/w/note.txt", oldText: null, newText: "x" }],
};
