import { FairleadError, type HostTool, type ToolContext, type ToolOffer, type ToolResult } from "@fairlead/contract";

/** A connected program that runs tools. */
export interface ConnectedToolProgram {
  readonly offers: readonly ToolOffer[];
  /** Runs a tool. Resolves with null if the connection is lost before there is a result. */
  use(tool: string, input: unknown, context: ToolContext): Promise<ToolResult | null>;
}

/** Milliseconds that a call waits for its program: it connects again after a restart of the daemon, or of a network. */
const reconnectTimeoutMs = 10_000;

/** The programs that are connected to this process and run tools for sessions, each by an id that only it knows. */
export class ToolPrograms {
  readonly #programs = new Map<string, ConnectedToolProgram>();
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Connects a program. The newest connection of a program counts. Disposing the result disconnects it. */
  connect(id: string, program: ConnectedToolProgram): Disposable {
    this.#programs.set(id, program);
    for (const resolve of this.#waiting.get(id) ?? []) resolve();
    return {
      [Symbol.dispose]: () => {
        if (this.#programs.get(id) === program) this.#programs.delete(id);
      },
    };
  }

  /** Returns what a program offers. Throws `unavailable` if it is not connected, and does not connect soon. */
  async offers(id: string): Promise<readonly ToolOffer[]> {
    const program = await this.#find(id);
    if (program !== undefined) return program.offers;
    throw new FairleadError("unavailable", "The program that offers the tools is not connected.");
  }

  /** Returns a tool of a program. A call runs again, under the same key, if the connection is lost and made again. */
  tool(id: string, offer: ToolOffer): HostTool {
    return {
      offer,
      use: async (input, context) => {
        while (!context.signal.aborted) {
          const program = await this.#find(id, context.signal);
          if (program?.offers.some(({ name }) => name === offer.name) !== true) break;
          const result = await program.use(offer.name, input, context);
          if (result !== null) return result;
        }
        return {
          outcome: "failed",
          text: `The tool ${offer.name} is not available: the program that runs it is gone.`,
        };
      },
    };
  }

  /** Waits until a program is connected. Returns undefined after a timeout, or when the signal aborts. */
  async #find(id: string, signal?: AbortSignal): Promise<ConnectedToolProgram | undefined> {
    if (!this.#programs.has(id)) {
      const arrival = Promise.withResolvers<void>();
      const resolvers = this.#waiting.get(id) ?? new Set();
      this.#waiting.set(id, resolvers.add(arrival.resolve));
      const timer = setTimeout(arrival.resolve, reconnectTimeoutMs);
      signal?.addEventListener("abort", () => arrival.resolve(), { once: true });
      await arrival.promise;
      clearTimeout(timer);
      resolvers.delete(arrival.resolve);
      if (resolvers.size === 0) this.#waiting.delete(id);
    }
    return this.#programs.get(id);
  }
}
