import { once } from "node:events";
import { WebSocket } from "ws";
import type { LocalFairlead } from "../../../service/src/local-fairlead.ts";
import { ServiceTestHome } from "../service/service-test-home.ts";
import type { AdapterEvent } from "../../../server/src/shim/events/adapter-event.ts";
import type { SerializedAgentState } from "../../../server/src/shim/agent-state.ts";
import type { AgentHandle } from "../../../server/src/shim/shim-session.ts";
import { serveShim, type ServeShimOptions, type ShimService } from "../../../server/src/shim/serve-shim.ts";

export const testBrief = {
  agentId: "agent-1",
  role: "Greeter",
  description: "Write a greeting.",
  workstream: "greetings",
};

/** The fields of all replies; a test reads those that it expects. */
type ShimReply = AgentHandle & SerializedAgentState & { readonly state: SerializedAgentState };

/** A shim with a real scripted agent. Disposing it removes both. */
export class TestShim implements AsyncDisposable {
  readonly token = "the-token-of-this-test";
  readonly #home = new ServiceTestHome();
  #service: ShimService | undefined;
  #fairlead: LocalFairlead | undefined;

  static async open(options: Partial<ServeShimOptions> = {}): Promise<TestShim> {
    const shim = new TestShim();
    await shim.restart(options);
    return shim;
  }

  get workspace(): string {
    return this.#home.folder;
  }

  get url(): string {
    return this.#service?.url ?? "";
  }

  /** Opens another shim over the same home, as a new process would. */
  async restart(options: Partial<ServeShimOptions> = {}): Promise<void> {
    await this.#service?.[Symbol.asyncDispose]();
    if (this.#fairlead !== undefined) await this.#home.close(this.#fairlead);
    const fairlead = (this.#fairlead = await this.#home.open());
    const address = { host: "127.0.0.1", port: 0, token: this.token };
    const defaults = { fairlead, workspace: this.workspace, mock: true, address };
    this.#service = await serveShim({ ...defaults, ...options });
  }

  async request(path: string, body?: unknown): Promise<{ status: number; reply: ShimReply }> {
    const init = body === undefined ? { method: "POST" } : { method: "POST", body: JSON.stringify(body) };
    const authorization = `Bearer ${this.token}`;
    const headers = { authorization, ...(body !== undefined && { "content-type": "application/json" }) };
    const response = await fetch(this.url + path, path === "/health" ? { headers } : { ...init, headers });
    return { status: response.status, reply: (await response.json()) as ShimReply };
  }

  /** Returns the messages that the agent got, with their context. */
  async readInputs(session: string): Promise<string[]> {
    const events = (await Array.fromAsync(this.#fairlead?.events(session) ?? [])).filter((one) => "body" in one);
    return events.flatMap(({ body }) => (body.type === "turn.started" ? [body.input] : []));
  }

  /** Reads events from a new connection, up to and including the first that matches. */
  async eventsUntil(predicate: (event: AdapterEvent["event"]) => boolean, query = ""): Promise<AdapterEvent[]> {
    const headers = { authorization: `Bearer ${this.token}` };
    const socket = new WebSocket(`${this.url.replace("http", "ws")}/events${query}`, { headers });
    const events: AdapterEvent[] = [];
    const found = new Promise<void>((resolve, reject) => {
      socket.on("error", reject);
      socket.on("close", () => reject(new Error("The connection closed before a matching event.")));
      socket.on("message", (data: Buffer) => {
        const event = JSON.parse(data.toString()) as AdapterEvent;
        events.push(event);
        if (predicate(event.event)) resolve();
      });
    });
    try {
      await found;
    } finally {
      socket.removeAllListeners("close");
      socket.close();
      await once(socket, "close");
    }
    const end = events.findIndex(({ event }) => predicate(event));
    return events.slice(0, end + 1);
  }

  /** Approves or answers every decision after a sequence until the run is complete, and returns all its events. */
  async resolveUntilComplete(from = 0): Promise<AdapterEvent[]> {
    for (let after = from; ;) {
      const isNext = (event: AdapterEvent["event"]): boolean => ["decision", "completion"].includes(event.type);
      const last = (await this.eventsUntil(isNext, `?after=${after}`)).at(-1);
      if (last?.event.type !== "decision") return await this.eventsUntil((event) => event.type === "completion");
      after = last.sourceSequence;
      const { decisionId, subtype } = last.event;
      const resolution =
        subtype === "option"
          ? { type: "option", chosenOptionId: "option-2" }
          : { type: "tool_approval", action: "approve" };
      const { status } = await this.request("/resolve", { decisionId, resolution });
      if (status !== 200) throw new Error(`${decisionId} was not resolved: ${status}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service?.[Symbol.asyncDispose]();
    await this.#home[Symbol.asyncDispose]();
  }
}
