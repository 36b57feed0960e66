import type { SocketConnection, Transport } from "@fairlead/client";
import type { SeededRandom } from "../../measure/seeded-random.ts";

export interface RoamingTransportOptions {
  /** A transport for each service. */
  readonly services: readonly Transport[];
  readonly random: SeededRandom;
  /** For a control: the position to continue after, from the right one. */
  readonly changeSequence?: (after: number) => number;
}

/** A client's transport that sends each request, and opens each stream, at another service than the one that worked last. */
export class RoamingTransport implements Transport {
  /** Streams that were opened after an earlier one had broken, and that the service answered. */
  reconnects = 0;
  readonly #options: RoamingTransportOptions;
  #last: number | undefined;

  constructor(options: RoamingTransportOptions) {
    this.#options = options;
  }

  async fetch(...request: Parameters<Transport["fetch"]>): Promise<Response> {
    const { index, service } = this.#chooseNext();
    const response = await service.fetch(...request);
    this.#last = index;
    return response;
  }

  async *open(path: string, signal: AbortSignal): AsyncGenerator<string> {
    const { changeSequence = (after) => after } = this.#options;
    const changed = path.replace(/after=([1-9]\d*)/, (_, after) => `after=${changeSequence(Number(after))}`);
    const { index, service } = this.#chooseNext();
    let isFirst = true;
    for await (const message of service.open(changed, signal)) {
      if (isFirst && this.#last !== undefined) this.reconnects += 1;
      isFirst = false;
      this.#last = index;
      yield message;
    }
  }

  connect(path: string, signal: AbortSignal): SocketConnection {
    return this.#chooseNext().service.connect(path, signal);
  }

  #chooseNext(): { readonly index: number; readonly service: Transport } {
    const { services, random } = this.#options;
    const others = [...services.entries()].filter(([index]) => index !== this.#last);
    const [index, service] = others[random.nextBelow(others.length)] ?? [];
    if (index === undefined || service === undefined) throw new Error("There is no other service.");
    return { index, service };
  }
}
