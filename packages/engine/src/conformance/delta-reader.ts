import { setTimeout as sleep } from "node:timers/promises";
import type { Delta } from "@fairlead/contract";
import { vi } from "vitest";
import type { Bus } from "../bus.ts";

const startText = "the reader has started";

export function createSampleDelta(text: string): Delta {
  return { type: "text.delta", text };
}

/** Publishes a text again and again until a condition is true. A delta that is published once may be missed. */
export async function publishUntil(bus: Bus, session: string, text: string, isEnough: () => boolean): Promise<void> {
  while (!isEnough()) {
    bus.publish(session, createSampleDelta(text));
    await sleep(2);
  }
}

/** Reads the live output of a session in the background. */
export class DeltaReader implements AsyncDisposable {
  readonly #controller = new AbortController();
  readonly #received: string[] = [];
  readonly #reading: Promise<void>;

  private constructor(bus: Bus, session: string) {
    this.#reading = this.#read(bus.subscribe(session, this.#controller.signal));
  }

  /** Returns when the reader gets what `publisher` publishes. */
  static async start(bus: Bus, publisher: Bus, session: string): Promise<DeltaReader> {
    const reader = new DeltaReader(bus, session);
    await publishUntil(publisher, session, startText, () => reader.#received.length > 0);
    return reader;
  }

  get texts(): readonly string[] {
    return this.#received.filter((text) => text !== startText);
  }

  async waitFor(text: string): Promise<void> {
    await vi.waitUntil(() => this.#received.includes(text), { timeout: 30_000, interval: 2 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#controller.abort();
    await this.#reading;
  }

  async #read(deltas: AsyncIterable<Delta>): Promise<void> {
    for await (const { text } of deltas) this.#received.push(text);
  }
}
