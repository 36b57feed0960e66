import type { Answer, Note, Wish } from "@fairlead/contract";
import type { Chance } from "./chance-for-test.ts";
import { adapter, isRefusal, type Daemon } from "./daemon-for-test.ts";
import type { World } from "./world-for-test.ts";

/** A person with wishes, who repeats each, under the same id, until there is an answer. */
export class User {
  /** What was answered, by id: granted, or refused for good. */
  readonly answered = new Map<string, { readonly note: Note; readonly granted: boolean; readonly at: number }>();
  readonly #world: World;
  readonly #chance: Chance;
  readonly #daemon: () => Daemon;
  readonly #decided = new Set<string>();
  #pending = 0;
  #count = 0;
  #left: number;

  constructor(world: World, daemon: () => Daemon) {
    this.#world = world;
    this.#chance = world.chance.fork();
    this.#daemon = daemon;
    this.#left = this.#chance.between(1, 10);
    void this.#live();
  }

  get isWaiting(): boolean {
    return this.#pending > 0;
  }

  /** Whether everything was wished for that was going to be. */
  get isContent(): boolean {
    return this.#left === 0;
  }

  end(): void {
    void this.#wish({ type: "end" });
  }

  async #live(): Promise<void> {
    const chance = this.#chance;
    const { session } = this.#world;
    const finding = { installed: true, program: "node", version: "1", flags: [], auth: "none", problems: [] } as const;
    const { id, version } = adapter.manifest;
    const opening = {
      session,
      name: null,
      agent: id,
      adapterVersion: version,
      workspace: "/workspace",
      mode: chance.pick(["default", "default", "full-auto"] as const),
      settings: {},
      finding: { ...finding, flags: [], problems: [] },
      continues: null,
    };
    await this.#pursue({ type: "opening", opening }, "opening");
    await this.#pursue({ type: "wish", wish: { type: "open" } }, "open");
    void this.#attend();
    for (; this.#left > 0; this.#left -= 1) {
      await this.#wait(chance.happens(0.4) ? chance.between(0, 20) : chance.between(0, 800));
      void this.#wish(this.#think());
    }
  }

  #think(): Wish {
    const kind = this.#chance.pick(["send", "send", "send", "send", "interrupt", "pause", "resume", "end"] as const);
    if (kind !== "send") return { type: kind };
    const turn = `turn-${this.#count}`;
    return { type: "send", turn, text: `message ${turn}` };
  }

  /** Answers what the agent asks, sooner or later, and sometimes twice. */
  async #attend(): Promise<void> {
    const chance = this.#chance;
    while (!this.#world.journal.isOver) {
      await this.#wait(chance.between(20, 300));
      for (const { body } of this.#world.journal.events) {
        if (body.type !== "decision.requested" || this.#decided.has(body.decision)) continue;
        this.#decided.add(body.decision);
        if (chance.happens(0.1)) continue;
        for (let times = chance.happens(0.2) ? 2 : 1; times > 0; times -= 1) void this.#answer(body.decision);
      }
    }
  }

  #answer(decision: string): Promise<void> {
    const deny = { type: "deny", message: "no", interrupt: this.#chance.happens(0.3) } as const;
    const answer: Answer = this.#chance.happens(0.6) ? { type: "allow" } : deny;
    return this.#wish({ type: "answer", decision, answer, by: "user" });
  }

  #wish(wish: Wish): Promise<void> {
    this.#count += 1;
    return this.#pursue({ type: "wish", wish }, `wish-${this.#count}`);
  }

  async #pursue(note: Note, id: string): Promise<void> {
    this.#pending += 1;
    while (!this.answered.has(id)) {
      const { actor, life } = this.#daemon();
      if (actor !== null && life.alive) await Promise.race([this.#ask(actor, note, id), life.death]);
      if (!this.answered.has(id)) await this.#wait(this.#chance.between(5, 100));
    }
    this.#pending -= 1;
  }

  async #ask(actor: NonNullable<Daemon["actor"]>, note: Note, id: string): Promise<void> {
    try {
      await actor.note(note, id);
      this.#settle(id, note, true);
    } catch (error) {
      if (isRefusal(error)) this.#settle(id, note, false);
    }
  }

  #settle(id: string, note: Note, granted: boolean): void {
    const told = note.type === "wish" ? JSON.stringify(note.wish) : note.type;
    if (!this.answered.has(id)) this.#world.trace(`${granted ? "granted" : "refused"}: ${id} ${told}`);
    this.answered.set(id, { note, granted, at: this.#world.time.now() });
  }

  #wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => void this.#world.time.after(milliseconds, resolve));
  }
}
