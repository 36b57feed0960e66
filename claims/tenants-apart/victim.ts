import type { Engine, Membership } from "@fairlead/engine";
import type { Fence } from "@fairlead/journal";
import { connectToNats, openNatsEngine, type NatsConnectionOptions } from "@fairlead/nats";
import { indexRow } from "@fairlead/testing/nats/index-rows.ts";
import { jetstreamManager, type JetStreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { createHash, randomBytes } from "node:crypto";
import { StreamLayout } from "../../packages/nats/src/log/stream-layout.ts";

/** A session of the victim, with all that its owner knows. */
export interface VictimSession {
  readonly session: string;
  readonly epoch: number;
  readonly fence: Fence;
  readonly last: number;
  readonly subject: string;
  readonly liveSubject: string;
  readonly stream: string;
}

export const namespace = "fairlead";

/** A tenant with sessions, hosts, work, tokens and objects, all of which have a secret text. */
export class Victim implements AsyncDisposable {
  readonly secret = `secret-${randomBytes(8).toString("hex")}`;
  readonly engine: Engine;
  readonly connection: NatsConnection;
  readonly manager: JetStreamManager;
  readonly host: Membership;
  readonly layout = new StreamLayout(namespace, 16);
  readonly #resources: AsyncDisposableStack;
  #count = 0;

  private constructor(
    parts: Pick<Victim, "engine" | "connection" | "manager" | "host">,
    resources: AsyncDisposableStack,
  ) {
    this.engine = parts.engine;
    this.connection = parts.connection;
    this.manager = parts.manager;
    this.host = parts.host;
    this.#resources = resources;
  }

  static async open(login: NatsConnectionOptions): Promise<Victim> {
    await using opening = new AsyncDisposableStack();
    const engine = opening.use(await openEngine(login, "victim-host"));
    const connection = opening.adopt(await connectToNats(login), (opened) => opened.close());
    const manager = await jetstreamManager(connection, { timeout: 10_000 });
    const host = opening.use(await engine.hosts.join({ name: "victim-host" }));
    return new Victim({ engine, connection, manager, host }, opening.move());
  }

  /** Returns a name that no attempt has used before. */
  createName(): string {
    return `name${this.#count++}`;
  }

  /** Creates a session with an event and a row. */
  async createSession(): Promise<VictimSession> {
    const session = `victim-${this.#count++}`;
    const owner = this.host.owner;
    const { epoch, fence: claimed } = await this.engine.log.claim(session, owner);
    const fence = await this.engine.log.append(
      { session, epoch, first: 1, events: [this.bytes], owner, notes: [this.bytes] },
      claimed,
    );
    await this.engine.index.put(indexRow(session, { content: this.secret, owner, name: `name-of-${session}` }));
    const { layout } = this;
    const stream = layout.streamName(layout.partitionOf(session));
    const subjects = { subject: layout.subjectOf(session), liveSubject: layout.liveSubjectOf(session), stream };
    return { session, epoch, fence, last: 1, ...subjects };
  }

  /** Appends one more event to a session. */
  async append({ session, epoch, fence, last }: VictimSession): Promise<void> {
    const owner = this.host.owner;
    await this.engine.log.append({ session, epoch, first: last + 1, events: [this.bytes], owner }, fence);
  }

  async addToken(): Promise<{ readonly label: string; readonly digest: string }> {
    const label = `${this.secret}-${this.#count++}`;
    const digest = createHash("sha256").update(label).digest("hex");
    await this.engine.tokens.add({ label, scopes: ["read"], digest, issuedAt: new Date().toISOString() });
    return { label, digest };
  }

  async putObject(): Promise<string> {
    const key = `memory/${this.#count++}`;
    await this.engine.objects.put(key, this.bytes);
    return key;
  }

  /** The texts of a session's events as the victim reads them. */
  async readEvents(session: string): Promise<string[]> {
    const texts: string[] = [];
    for await (const { events } of this.engine.log.read(session, 0))
      texts.push(...events.map((event) => Buffer.from(event).toString("utf8")));
    return texts;
  }

  get bytes(): Uint8Array {
    return Buffer.from(this.secret);
  }

  hasSecret(data: unknown): boolean {
    const text = data instanceof Uint8Array ? Buffer.from(data).toString("latin1") : (JSON.stringify(data) ?? "");
    return text.includes(this.secret) || text.includes(Buffer.from(this.secret).toString("base64").slice(0, 24));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}

export async function openEngine(connection: NatsConnectionOptions, host: string): Promise<Engine> {
  return await openNatsEngine({ connection, namespace, host, indexContentVersion: 1 });
}
