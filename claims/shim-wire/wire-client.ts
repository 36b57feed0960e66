import { envelope, eventName, events, faults, replies } from "./shapes.ts";

export interface Told {
  readonly sourceEventId: string;
  readonly sourceSequence: number;
  readonly runId: string;
  readonly event: Readonly<Record<string, unknown>>;
}

export type Json = Readonly<Record<string, unknown>>;

/** A backend's side of the protocol, which shares no code with ours. It looks at every message, and writes down what is wrong. */
export class WireClient {
  readonly told: Told[] = [];
  readonly faults: string[] = [];
  /** Everything that was looked at, by its name in the protocol. */
  readonly seen: { readonly name: string; readonly value: Json }[] = [];
  readonly #url: string;
  readonly #socket: WebSocket;
  readonly #last = new Map<string, number>();
  #heard = Promise.withResolvers<void>();

  private constructor(url: string) {
    this.#url = url;
    this.#socket = new WebSocket(`${url.replace("http", "ws")}/events`);
    this.#socket.addEventListener("message", ({ data }) => this.#hear(String(data)));
  }

  static async open(url: string): Promise<WireClient> {
    const client = new WireClient(url);
    await new Promise((resolve, reject) => {
      client.#socket.addEventListener("open", resolve);
      client.#socket.addEventListener("error", () => reject(new Error("There is no WebSocket at /events.")));
    });
    return client;
  }

  async ask(name: string, body?: Json): Promise<Json> {
    const { status, reply } = await this.#send(name, body);
    if (status !== 200) throw new Error(`${name} answered ${status}: ${JSON.stringify(reply)}`);
    this.faults.push(...faults(name, replies[name], reply));
    this.seen.push({ name, value: reply });
    return reply;
  }

  /** Asks for what must be refused. */
  async refused(name: string, body: Json, wanted: number): Promise<void> {
    const { status } = await this.#send(name, body);
    if (status !== wanted) this.faults.push(`${name} answered ${status} where it must be ${wanted}`);
  }

  /** The first event after so many that fits. */
  async until(what: string, fits: (event: Json) => boolean, after = 0): Promise<Told> {
    for (const late = AbortSignal.timeout(90_000); ;) {
      const found = this.told.slice(after).find(({ event }) => fits(event));
      if (found !== undefined) return found;
      const gone = new Promise((resolve) => late.addEventListener("abort", resolve, { once: true }));
      await Promise.race([this.#heard.promise, gone]);
      if (late.aborted) throw new Error(`Nothing was told of ${what}: ${JSON.stringify(this.told.slice(after))}`);
    }
  }

  close(): void {
    this.#socket.close();
  }

  async #send(name: string, body?: Json): Promise<{ status: number; reply: Json }> {
    const [method = "", path = ""] = name.split(" ");
    const headers = { "content-type": "application/json" };
    const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
    const response = await fetch(this.#url + path, init);
    return { status: response.status, reply: (await response.json()) as Json };
  }

  #hear(data: string): void {
    const told = JSON.parse(data) as Told;
    const name = eventName(told.event);
    this.faults.push(...faults("envelope", envelope, told), ...faults(name, events[name], told.event));
    this.seen.push({ name: "envelope", value: { ...told } }, { name, value: told.event });
    const wanted = (this.#last.get(told.runId) ?? 0) + 1;
    if (told.sourceSequence !== wanted) this.faults.push(`sequence ${told.sourceSequence} where ${wanted} must come`);
    this.#last.set(told.runId, told.sourceSequence);
    if (this.told.some(({ sourceEventId }) => sourceEventId === told.sourceEventId))
      this.faults.push(`${name} came twice`);
    this.told.push(told);
    this.#heard.resolve();
    this.#heard = Promise.withResolvers();
  }
}
