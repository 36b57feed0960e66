import { Daemon } from "./daemon-for-test.ts";
import { describeFault, planFaults, type Fault, type FaultKind } from "./faults-for-test.ts";
import { faultsOf, finalViolations, undoneOrders } from "./invariants-for-test.ts";
import { User } from "./user-for-test.ts";
import { World, type Defect } from "./world-for-test.ts";

export interface SimulationOptions {
  readonly defect?: Defect | undefined;
  readonly trace?: ((line: string) => void) | undefined;
  /** Faults that are left out. */
  readonly without?: readonly FaultKind[] | undefined;
}

export interface Outcome {
  readonly seed: number;
  readonly faults: readonly string[];
  /** What was promised and not kept; none, if all is well. */
  readonly violations: readonly string[];
  readonly steps: number;
  readonly events: number;
}

/** How long, without faults, whatever is under way may take to be done. */
const calm = 10_000;
const longestStorm = 120_000;
const longestEnd = 60_000;

/** One session from beginning to end, with everything that the seed lets happen to it. */
export class Simulation {
  readonly world: World;
  readonly user: User;
  readonly daemons: Daemon[] = [];
  readonly #plan: Fault[];
  readonly #due: Fault[];
  #steps = 0;
  #current: Daemon;

  static async run(seed: number, options: SimulationOptions = {}): Promise<Outcome> {
    const world = new World(seed, options);
    using _ = world.time.govern();
    return await new Simulation(world, options.without ?? []).#run();
  }

  private constructor(world: World, without: readonly FaultKind[]) {
    this.world = world;
    this.#plan = planFaults(world.chance.fork()).filter(({ kind }) => !without.includes(kind));
    this.#due = [...this.#plan];
    this.#current = this.#drive();
    this.user = new User(world, () => this.#current);
  }

  async #run(): Promise<Outcome> {
    const violations = await this.#live().catch((error: Error) => [...this.world.complaints, String(error.stack)]);
    const { seed, journal } = this.world;
    const faults = this.#plan.map(describeFault);
    return { seed, faults, violations, steps: this.#steps, events: journal.events.length };
  }

  async #live(): Promise<string[]> {
    const { world, user } = this;
    await this.#until(() => this.#isOver() || (this.#due.length === 0 && user.isContent), longestStorm);
    this.#due.length = 0;
    world.disk.trouble = null;
    world.journal.isUnreliable = false;
    world.trace("from now on nothing goes wrong");
    await this.#until(() => this.#isOver(), calm);
    const undone = this.#isOver() || this.#isBroken() ? [] : undoneOrders(world);
    if (!world.journal.isOver) user.end();
    await this.#until(() => this.#isOver(), longestEnd);
    await this.#until(() => world.house.agents.every(({ alive }) => !alive), calm);
    // What comes after the first thing that is wrong would only hide it.
    if (this.#isBroken()) return [...world.complaints, ...faultsOf(this.daemons)];
    if (!this.#isOver()) undone.push("the session comes to no end");
    return [...undone, ...finalViolations(this)];
  }

  #isBroken(): boolean {
    return this.world.complaints.length > 0 || this.daemons.some(({ isAtFault }) => isAtFault);
  }

  #isOver(): boolean {
    return this.world.journal.isOver && !this.user.isWaiting && this.user.isContent;
  }

  async #until(fact: () => boolean, patience: number): Promise<void> {
    const deadline = this.world.time.now() + patience;
    while (!fact() && !this.#isBroken() && this.world.time.now() < deadline) await this.#step();
  }

  async #step(): Promise<void> {
    this.#steps += 1;
    while ((this.#due[0]?.step ?? Infinity) <= this.#steps) this.#inflict(this.#due.shift() as Fault);
    await this.world.time.step();
  }

  #drive(): Daemon {
    const daemon = new Daemon(this.world, `daemon ${this.daemons.length + 1}`);
    this.daemons.push(daemon);
    void daemon.ended.then(() => {
      // Somebody looks after the session, sooner or later.
      this.world.time.after(this.world.chance.between(0, 300), () => {
        if (this.#current === daemon) this.#current = this.#drive();
      });
    });
    return daemon;
  }

  #inflict(fault: Fault): void {
    const { world } = this;
    world.trace(`*** ${describeFault(fault)}`);
    switch (fault.kind) {
      case "kill the actor":
        return this.#current.life.end();
      case "start a rival":
        this.#current = this.#drive();
        return;
      case "kill the keeper":
        return world.house.kill();
      case "lose power":
        for (const { life } of this.daemons) life.end();
        return world.losePower();
      case "fill the disk":
      case "break the disk":
        world.disk.trouble = fault.kind === "fill the disk" ? "ENOSPC" : "EIO";
        world.time.after(fault.lasts, () => (world.disk.trouble = null));
        return;
      case "cut the connection":
        return world.house.cut();
      case "lose the journal":
        world.journal.isUnreliable = true;
        world.time.after(fault.lasts, () => (world.journal.isUnreliable = false));
    }
  }
}
