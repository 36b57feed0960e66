import { once } from "node:events";
import { WebSocket } from "ws";
import type { LocalFairlead } from "../local/local-fairlead.ts";
import { Ground } from "../local/ground-for-test.ts";
import type { AdapterEvent } from "./adapter-event.ts";
import type { SerializedAgentState } from "./agent-state.ts";
import type { AgentHandle } from "./shim-session.ts";
import { serveShim, type ServeShimOptions, type ShimService } from "./serve-shim.ts";

export const brief = {
  agentId: "agent-1",
  role: "Greeter",
  description: "Write a greeting.",
  workstream: "greetings",
};

/** Whatever was answered; a test says what it expects of it. */
type Reply = AgentHandle & SerializedAgentState & { readonly state: SerializedAgentState };

/** A shim with a real scripted agent behind it, which is gone when the test is over. */
export class ShimForTest implements AsyncDisposable {
  readonly #ground = new Ground();
  #service: ShimService | undefined;
  #fairlead: LocalFairlead | undefined;

  static async open(options: Partial<ServeShimOptions> = {}): Promise<ShimForTest> {
    const shim = new ShimForTest();
    await shim.restart(options);
    return shim;
  }

  get workspace(): string {
    return this.#ground.folder;
  }

  get url(): string {
    return this.#service?.url ?? "";
  }

  /** Another shim over the same home, as a new process would be. */
  async restart(options: Partial<ServeShimOptions> = {}): Promise<void> {
    await this.#service?.[Symbol.asyncDispose]();
    if (this.#fairlead !== undefined) await this.#ground.close(this.#fairlead);
    const fairlead = (this.#fairlead = await this.#ground.open());
    const fixed = { fairlead, workspace: this.workspace, mock: true, host: "127.0.0.1", port: 0 };
    this.#service = await serveShim({ ...fixed, ...options });
  }

  async ask(path: string, body?: unknown): Promise<{ status: number; reply: Reply }> {
    const init = body === undefined ? { method: "POST" } : { method: "POST", body: JSON.stringify(body) };
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    const response = await fetch(this.url + path, path === "/health" ? {} : { ...init, headers });
    return { status: response.status, reply: (await response.json()) as Reply };
  }

  /** The events from a new connection up to and including the first that fits. */
  async eventsUntil(fits: (event: AdapterEvent["event"]) => boolean, query = ""): Promise<AdapterEvent[]> {
    const socket = new WebSocket(`${this.url.replace("http", "ws")}/events${query}`);
    const events: AdapterEvent[] = [];
    const found = new Promise<void>((resolve, reject) => {
      socket.on("error", reject);
      socket.on("close", () => reject(new Error("closed too early")));
      socket.on("message", (data: Buffer) => {
        const event = JSON.parse(data.toString()) as AdapterEvent;
        events.push(event);
        if (fits(event.event)) resolve();
      });
    });
    try {
      await found;
    } finally {
      socket.removeAllListeners("close");
      socket.close();
      await once(socket, "close");
    }
    const end = events.findIndex(({ event }) => fits(event));
    return events.slice(0, end + 1);
  }

  /** Approves and chooses whatever is asked after a number, until the run is complete; gives all that was told. */
  async play(from = 0): Promise<AdapterEvent[]> {
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
      const { status } = await this.ask("/resolve", { decisionId, resolution });
      if (status !== 200) throw new Error(`${decisionId} was not resolved: ${status}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service?.[Symbol.asyncDispose]();
    await this.#ground[Symbol.asyncDispose]();
  }
}
