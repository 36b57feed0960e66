import type { Answer, Note, Command } from "@fairlead/contract";
import type { SeededRandom } from "./seeded-random.ts";
import { scriptedAdapter, isRejection, type SimulatedDaemon } from "./simulated-daemon.ts";
import type { SimulatedWorld } from "./simulated-world.ts";

/** A user who sends commands and repeats each one, with the same id, until it is accepted or rejected. */
export class SimulatedUser {
  /** The notes that were accepted or finally rejected, by id. */
  readonly outcomes = new Map<string, { readonly note: Note; readonly isAccepted: boolean; readonly at: number }>();
  readonly #world: SimulatedWorld;
  readonly #random: SeededRandom;
  readonly #daemon: () => SimulatedDaemon;
  readonly #seenDecisions = new Set<string>();
  #pending = 0;
  #count = 0;
  #remaining: number;

  constructor(world: SimulatedWorld, daemon: () => SimulatedDaemon) {
    this.#world = world;
    this.#random = world.random.fork();
    this.#daemon = daemon;
    this.#remaining = this.#random.between(1, 10);
    void this.#run();
  }

  get isWaiting(): boolean {
    return this.#pending > 0;
  }

  /** Whether all planned commands were sent. */
  get isDone(): boolean {
    return this.#remaining === 0;
  }

  end(): void {
    void this.#submit({ type: "end" });
  }

  async #run(): Promise<void> {
    const random = this.#random;
    const { session } = this.#world;
    const probeResult = {
      installed: true,
      program: "node",
      version: "1",
      flags: [],
      auth: "none",
      problems: [],
    } as const;
    const { id, version } = scriptedAdapter.manifest;
    const opening = {
      session,
      name: null,
      agent: id,
      adapterVersion: version,
      workspace: "/workspace",
      mode: random.pick(["default", "default", "full-auto"] as const),
      settings: {},
      probeResult: { ...probeResult, flags: [], problems: [] },
      continues: null,
    };
    await this.#submitUntilAnswered({ type: "opening", opening }, "opening");
    await this.#submitUntilAnswered({ type: "command", command: { type: "open" } }, "open");
    void this.#answerDecisions();
    for (; this.#remaining > 0; this.#remaining -= 1) {
      await this.#wait(random.happens(0.4) ? random.between(0, 20) : random.between(0, 800));
      void this.#submit(this.#nextCommand());
    }
  }

  #nextCommand(): Command {
    const kind = this.#random.pick(["send", "send", "send", "send", "interrupt", "pause", "resume", "end"] as const);
    if (kind !== "send") return { type: kind };
    const turn = `turn-${this.#count}`;
    return { type: "send", turn, text: `message ${turn}` };
  }

  /** Answers the agent's decisions with a delay: most of them, and some twice. */
  async #answerDecisions(): Promise<void> {
    const random = this.#random;
    while (!this.#world.journal.hasEnded) {
      await this.#wait(random.between(20, 300));
      for (const { body } of this.#world.journal.events) {
        if (body.type !== "decision.requested" || this.#seenDecisions.has(body.decision)) continue;
        this.#seenDecisions.add(body.decision);
        if (random.happens(0.1)) continue;
        for (let times = random.happens(0.2) ? 2 : 1; times > 0; times -= 1) void this.#answer(body.decision);
      }
    }
  }

  #answer(decision: string): Promise<void> {
    const deny = { type: "deny", message: "no", interrupt: this.#random.happens(0.3) } as const;
    const answer: Answer = this.#random.happens(0.6) ? { type: "allow" } : deny;
    return this.#submit({ type: "answer", decision, answer, by: { kind: "person" } });
  }

  #submit(command: Command): Promise<void> {
    this.#count += 1;
    return this.#submitUntilAnswered({ type: "command", command }, `command-${this.#count}`);
  }

  async #submitUntilAnswered(note: Note, id: string): Promise<void> {
    this.#pending += 1;
    while (!this.outcomes.has(id)) {
      const { actor, process } = this.#daemon();
      if (actor !== null && process.isAlive) await Promise.race([this.#attempt(actor, note, id), process.exited]);
      if (!this.outcomes.has(id)) await this.#wait(this.#random.between(5, 100));
    }
    this.#pending -= 1;
  }

  async #attempt(actor: NonNullable<SimulatedDaemon["actor"]>, note: Note, id: string): Promise<void> {
    try {
      await actor.submitNote(note, id);
      this.#settle(id, note, true);
    } catch (error) {
      if (isRejection(error)) this.#settle(id, note, false);
    }
  }

  #settle(id: string, note: Note, isAccepted: boolean): void {
    const description = note.type === "command" ? JSON.stringify(note.command) : note.type;
    if (!this.outcomes.has(id)) this.#world.trace(`${isAccepted ? "accepted" : "rejected"}: ${id} ${description}`);
    this.outcomes.set(id, { note, isAccepted, at: this.#world.time.now() });
  }

  #wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => void this.#world.time.after(milliseconds, resolve));
  }
}
