import type { AttackTarget } from "./attack-target.ts";

/** Whether an attack reached its goal, and what it saw. */
export interface AttackOutcome {
  readonly succeeded: boolean;
  readonly seen: string;
}

/** A program against Fairlead, run from outside: through the command, the sockets, and hostile agents. */
export interface Attack {
  readonly id: string;
  /** What the attacker wants to reach. */
  readonly goal: string;
  /** Why the attack does not succeed on the commit before the defenses, if so. Such an attack has no control. */
  readonly noControl?: string;
  run(target: AttackTarget): Promise<AttackOutcome>;
}
