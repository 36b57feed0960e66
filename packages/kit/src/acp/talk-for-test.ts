import type { AgentEvent, Delta, Effect, Heard, Asked } from "@fairlead/contract";
import { acpDialect } from "./acp-dialect.ts";
import type { AcpManner, AcpState } from "./state.ts";

const plain: AcpManner = {
  launch: () => ({ program: "agent", args: [], env: {}, cwd: "/w", stdin: "pipe" }),
  workspace: "/w",
  continues: null,
  authMethod: null,
  mode: null,
  options: {},
  asksInProgress: true,
  retryDeadline: 1000,
  notices: [],
  quirks: {},
};

type Message = Record<string, unknown> & { id?: number; method?: string; params?: Record<string, unknown> };

/** A talk with an agent of which only the words exist. */
export class Talk {
  readonly events: AgentEvent[] = [];
  readonly deltas: Delta[] = [];
  readonly effects: Effect[] = [];
  readonly #dialect;
  state: AcpState;

  constructor(manner: Partial<AcpManner> = {}) {
    this.#dialect = acpDialect({ ...plain, ...manner });
    this.state = this.#dialect.start;
  }

  ask(wish: Asked): this {
    return this.#take(this.#dialect.ask(this.state, wish));
  }

  hear(heard: Heard): this {
    return this.#take(this.#dialect.hear(this.state, heard));
  }

  says(message: object): this {
    return this.hear({ kind: "line", stream: "out", text: JSON.stringify({ jsonrpc: "2.0", ...message }) });
  }

  /** Answers the newest request of this method. */
  answers(method: string, answer: { result: unknown } | { error: object }): this {
    const asked = this.said.findLast((one) => one.method === method && one.id !== undefined);
    return this.says({ id: asked?.id, ...answer });
  }

  updates(update: object): this {
    return this.says({ method: "session/update", params: { sessionId: "s", update } });
  }

  speaks(text: string): this {
    return this.updates({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  asksFor(id: number, toolCall: object, kinds = ["allow_once", "reject_once"]): this {
    const options = kinds.map((kind, at) => ({ kind, optionId: `option ${at}`, name: kind }));
    return this.says({ id, method: "session/request_permission", params: { sessionId: "s", toolCall, options } });
  }

  /** What was said to the agent. */
  get said(): Message[] {
    return this.effects.flatMap((effect) => (effect.type === "say" ? [JSON.parse(effect.text) as Message] : []));
  }

  get told(): string[] {
    return this.events.map(({ type }) => type);
  }

  event<Type extends AgentEvent["type"]>(type: Type): Extract<AgentEvent, { type: Type }> | undefined {
    return this.events.find((event): event is Extract<AgentEvent, { type: Type }> => event.type === type);
  }

  #take(step: ReturnType<ReturnType<typeof acpDialect>["ask"]>): this {
    this.state = JSON.parse(JSON.stringify(step.state)) as AcpState;
    this.events.push(...(step.events ?? []));
    this.deltas.push(...(step.deltas ?? []));
    this.effects.push(...(step.effects ?? []));
    return this;
  }
}

export const hello = { protocolVersion: 1, agentCapabilities: { loadSession: true } };
export const send = { type: "send", turn: "t1", text: "Do it." } as const;

export function opened(manner: Partial<AcpManner> = {}, capabilities: object = hello): Talk {
  return new Talk(manner).ask({ type: "open" }).answers("initialize", { result: capabilities });
}

export function prompted(manner: Partial<AcpManner> = {}): Talk {
  return opened(manner)
    .answers("session/new", { result: { sessionId: "s", models: { currentModelId: "m" } } })
    .ask(send);
}

export function over(talk: Talk, result: object = { stopReason: "end_turn" }): Talk {
  return talk.answers("session/prompt", { result });
}

export const writing = {
  toolCallId: "c1",
  title: "write note.txt",
  kind: "edit",
  content: [{ type: "diff", path: "/w/note.txt", oldText: null, newText: "x" }],
};
