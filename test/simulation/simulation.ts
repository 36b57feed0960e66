import { SimulatedDaemon } from "./simulated-daemon.ts";
import { describeFault, planFaults, type Fault, type FaultKind } from "./faults.ts";
import { findDaemonFailures, findInvariantViolations, findUnfinishedEffects } from "./invariants.ts";
import { SimulatedUser } from "./simulated-user.ts";
import { SimulatedWorld, type Defect } from "./simulated-world.ts";

export interface SimulationOptions {
  readonly defect?: Defect | undefined;
  readonly trace?: ((line: string) => void) | undefined;
  /** Kinds of faults that are not injected. */
  readonly excludedFaults?: readonly FaultKind[] | undefined;
}

export interface SimulationOutcome {
  readonly seed: number;
  readonly faults: readonly string[];
  /** The violated invariants. */
  readonly violations: readonly string[];
  readonly steps: number;
  readonly events: number;
}

/** How long pending work may take once faults have ended. */
const settleTimeMs = 10_000;
const maxFaultPhaseMs = 120_000;
const maxEndPhaseMs = 60_000;

/** One session from start to end, with the commands and faults of its seed. */
export class Simulation {
  readonly world: SimulatedWorld;
  readonly user: SimulatedUser;
  readonly daemons: SimulatedDaemon[] = [];
  readonly #plan: Fault[];
  readonly #pendingFaults: Fault[];
  #steps = 0;
  #current: SimulatedDaemon;

  static async run(seed: number, options: SimulationOptions = {}): Promise<SimulationOutcome> {
    const world = new SimulatedWorld(seed, options);
    return await new Simulation(world, options.excludedFaults ?? []).#run();
  }

  private constructor(world: SimulatedWorld, excludedFaults: readonly FaultKind[]) {
    this.world = world;
    this.#plan = planFaults(world.random.fork()).filter(({ kind }) => !excludedFaults.includes(kind));
    this.#pendingFaults = [...this.#plan];
    this.#current = this.#startDaemon();
    this.user = new SimulatedUser(world, () => this.#current);
  }

  async #run(): Promise<SimulationOutcome> {
    const violations = await this.#runPhases().catch((error: Error) => [...this.world.violations, String(error.stack)]);
    const { seed, journal } = this.world;
    const faults = this.#plan.map(describeFault);
    return { seed, faults, violations, steps: this.#steps, events: journal.events.length };
  }

  async #runPhases(): Promise<string[]> {
    const { world, user } = this;
    await this.#stepUntil(() => this.#isOver() || (this.#pendingFaults.length === 0 && user.isDone), maxFaultPhaseMs);
    this.#pendingFaults.length = 0;
    world.disk.failure = null;
    world.journal.isUnreliable = false;
    world.trace("faults have ended");
    await this.#stepUntil(() => this.#isOver(), settleTimeMs);
    const unfinished = this.#isOver() || this.#hasFailed() ? [] : findUnfinishedEffects(world);
    if (!world.journal.hasEnded) user.end();
    await this.#stepUntil(() => this.#isOver(), maxEndPhaseMs);
    await this.#stepUntil(() => world.machine.agents.every(({ isAlive }) => !isAlive), settleTimeMs);
    // Violations after the first failure are its consequences and would only hide it.
    if (this.#hasFailed()) return [...world.violations, ...findDaemonFailures(this.daemons)];
    if (!this.#isOver()) unfinished.push("the session does not end");
    return [...unfinished, ...findInvariantViolations(this)];
  }

  #hasFailed(): boolean {
    return this.world.violations.length > 0 || this.daemons.some(({ isAtFault }) => isAtFault);
  }

  #isOver(): boolean {
    return this.world.journal.hasEnded && !this.user.isWaiting && this.user.isDone;
  }

  async #stepUntil(condition: () => boolean, timeout: number): Promise<void> {
    const deadline = this.world.time.now() + timeout;
    while (!condition() && !this.#hasFailed() && this.world.time.now() < deadline) await this.#step();
  }

  async #step(): Promise<void> {
    this.#steps += 1;
    while ((this.#pendingFaults[0]?.step ?? Infinity) <= this.#steps)
      this.#injectFault(this.#pendingFaults.shift() as Fault);
    await this.world.time.step();
  }

  #startDaemon(): SimulatedDaemon {
    const daemon = new SimulatedDaemon(this.world, `daemon ${this.daemons.length + 1}`);
    this.daemons.push(daemon);
    void daemon.ended.then(() => {
      // Another daemon takes over the session after some time.
      this.world.time.after(this.world.random.between(0, 300), () => {
        if (this.#current === daemon) this.#current = this.#startDaemon();
      });
    });
    return daemon;
  }

  #injectFault(fault: Fault): void {
    const { world } = this;
    world.trace(`*** ${describeFault(fault)}`);
    switch (fault.kind) {
      case "kill the actor":
        return this.#current.process.end();
      case "start a competing actor":
        this.#current = this.#startDaemon();
        return;
      case "kill the keeper":
        return world.machine.killKeeper();
      case "lose power":
        for (const { process } of this.daemons) process.end();
        return world.losePower();
      case "fill the disk":
      case "break the disk":
        world.disk.failure = fault.kind === "fill the disk" ? "ENOSPC" : "EIO";
        world.time.after(fault.duration, () => (world.disk.failure = null));
        return;
      case "cut the connection":
        return world.machine.disconnectClients();
      case "lose the journal":
        world.journal.isUnreliable = true;
        world.time.after(fault.duration, () => (world.journal.isUnreliable = false));
    }
  }
}
