import { envelope, eventName, events, findFaults, replies } from "./message-shapes.ts";

export interface ShimEnvelope {
  readonly sourceEventId: string;
  readonly sourceSequence: number;
  readonly runId: string;
  readonly event: Readonly<Record<string, unknown>>;
}

/** Where the shim listens, and the token that each request needs. */
export interface ShimAddress {
  readonly url: string;
  readonly token: string;
}

export type Json = Readonly<Record<string, unknown>>;

/** A backend's side of the protocol that shares no code with ours. It checks every message and records faults. */
export class ShimTestClient {
  readonly envelopes: ShimEnvelope[] = [];
  readonly faults: string[] = [];
  /** The messages that were checked, by their names in the protocol. */
  readonly checkedMessages: { readonly name: string; readonly value: Json }[] = [];
  readonly #url: string;
  readonly #token: string;
  readonly #socket: WebSocket;
  readonly #last = new Map<string, number>();
  #received = Promise.withResolvers<void>();

  private constructor({ url, token }: ShimAddress) {
    this.#url = url;
    this.#token = token;
    // A WebSocket client that cannot set headers offers the token as a subprotocol.
    this.#socket = new WebSocket(`${url.replace("http", "ws")}/events`, ["fairlead.v1", `fairlead.bearer.${token}`]);
    this.#socket.addEventListener("message", ({ data }) => this.#receive(String(data)));
  }

  static async open(address: ShimAddress): Promise<ShimTestClient> {
    const client = new ShimTestClient(address);
    await new Promise((resolve, reject) => {
      client.#socket.addEventListener("open", resolve);
      client.#socket.addEventListener("error", () => reject(new Error("There is no WebSocket at /events.")));
    });
    return client;
  }

  async request(name: string, body?: Json): Promise<Json> {
    const { status, reply } = await this.#send(name, body);
    if (status !== 200) throw new Error(`${name} answered ${status}: ${JSON.stringify(reply)}`);
    this.faults.push(...findFaults(name, replies[name], reply));
    this.checkedMessages.push({ name, value: reply });
    return reply;
  }

  /** Sends a request that must be rejected. */
  async expectStatus(name: string, body: Json, expectedStatus: number, token = this.#token): Promise<void> {
    const { status } = await this.#send(name, body, token);
    if (status !== expectedStatus) this.faults.push(`${name} answered ${status} where it must be ${expectedStatus}`);
  }

  /** Returns the first matching event after a position. */
  async waitForEvent(description: string, matches: (event: Json) => boolean, after = 0): Promise<ShimEnvelope> {
    for (const timeout = AbortSignal.timeout(90_000); ;) {
      const found = this.envelopes.slice(after).find(({ event }) => matches(event));
      if (found !== undefined) return found;
      const timedOut = new Promise((resolve) => timeout.addEventListener("abort", resolve, { once: true }));
      await Promise.race([this.#received.promise, timedOut]);
      if (timeout.aborted)
        throw new Error(`Nothing was told of ${description}: ${JSON.stringify(this.envelopes.slice(after))}`);
    }
  }

  close(): void {
    this.#socket.close();
  }

  async #send(name: string, body?: Json, token = this.#token): Promise<{ status: number; reply: Json }> {
    const [method = "", path = ""] = name.split(" ");
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch(this.#url + path, init);
    return { status: response.status, reply: (await response.json()) as Json };
  }

  #receive(data: string): void {
    const received = JSON.parse(data) as ShimEnvelope;
    const name = eventName(received.event);
    this.faults.push(...findFaults("envelope", envelope, received), ...findFaults(name, events[name], received.event));
    this.checkedMessages.push({ name: "envelope", value: { ...received } }, { name, value: received.event });
    const expectedSequence = (this.#last.get(received.runId) ?? 0) + 1;
    if (received.sourceSequence !== expectedSequence)
      this.faults.push(`sequence ${received.sourceSequence} where ${expectedSequence} must come`);
    this.#last.set(received.runId, received.sourceSequence);
    if (this.envelopes.some(({ sourceEventId }) => sourceEventId === received.sourceEventId))
      this.faults.push(`${name} came twice`);
    this.envelopes.push(received);
    this.#received.resolve();
    this.#received = Promise.withResolvers();
  }
}
