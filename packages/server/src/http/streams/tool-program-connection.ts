import { type ToolProgramFrame, ToolProgramMessage, createProblem } from "@fairlead/api";
import type { ToolContext, ToolOffer, ToolResult } from "@fairlead/contract";

/** Where programs that run tools are connected. */
export interface ToolProgramRegistry {
  connect(
    id: string,
    program: {
      readonly offers: readonly ToolOffer[];
      use(tool: string, input: unknown, context: ToolContext): Promise<ToolResult | null>;
    },
  ): Disposable;
}

/** One connection of a program that runs tools. It sends calls, and receives their results. */
export class ToolProgramConnection implements Disposable {
  readonly #registry: ToolProgramRegistry;
  readonly #send: (frame: ToolProgramFrame) => void;
  readonly #calls = new Map<string, (result: ToolResult | null) => void>();
  #registration: Disposable | undefined;
  #isClosed = false;
  #count = 0;

  constructor(registry: ToolProgramRegistry, send: (frame: ToolProgramFrame) => void) {
    this.#registry = registry;
    this.#send = send;
  }

  /** Receives a message of the program. Returns false if it is invalid, after it has sent the reason. */
  receive(text: string): boolean {
    const message = parseMessage(text);
    const isOffer = message !== null && "offer" in message;
    if (message === null || isOffer !== (this.#registration === undefined)) {
      const reason = message === null ? "The message is invalid." : "A connection begins with one offer.";
      this.#send({ problem: createProblem("invalid-request", reason) });
      return false;
    }
    if ("offer" in message) {
      const { program, tools } = message.offer;
      this.#registration = this.#registry.connect(program, {
        offers: tools,
        use: (tool, input, context) => this.#use(tool, input, context),
      });
      this.#send({ offered: true });
    } else {
      // A result of a call that was canceled meanwhile has no receiver.
      this.#calls.get(message.result.id)?.(message.result);
    }
    return true;
  }

  /** Ends the calls without a result. Another connection of the program may run them. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#registration?.[Symbol.dispose]();
    for (const resolve of this.#calls.values()) resolve(null);
  }

  async #use(tool: string, input: unknown, context: ToolContext): Promise<ToolResult | null> {
    if (this.#isClosed) return null;
    this.#count += 1;
    const id = String(this.#count);
    const { session, call, key, workspace, limits, signal } = context;
    const answer = Promise.withResolvers<ToolResult | null>();
    const cancel = (): void => {
      if (!this.#isClosed) this.#send({ cancel: { id } });
      answer.resolve({ outcome: "failed", text: "The call was canceled." });
    };
    this.#calls.set(id, answer.resolve);
    signal.addEventListener("abort", cancel, { once: true });
    try {
      this.#send({ call: { id, tool, input, session, call, key, workspace, ...(limits && { limits }) } });
      const result = await answer.promise;
      return result && { outcome: result.outcome, text: result.text };
    } finally {
      this.#calls.delete(id);
      signal.removeEventListener("abort", cancel);
    }
  }
}

function parseMessage(text: string): ToolProgramMessage | null {
  try {
    return ToolProgramMessage.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
