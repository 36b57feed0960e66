import type { SeededRandom } from "./seeded-random.ts";

export const faultKinds = [
  "kill the actor",
  "kill the actor",
  "start a competing actor",
  "kill the keeper",
  "lose power",
  "fill the disk",
  "break the disk",
  "cut the connection",
  "lose the journal",
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** A fault that is injected before a step of the simulation. */
export interface Fault {
  readonly step: number;
  readonly kind: FaultKind;
  /** How long the fault lasts, in milliseconds, if it lasts. */
  readonly duration: number;
}

/** Plans the faults of a simulation, in order. Often a fault follows soon after another. */
export function planFaults(random: SeededRandom): Fault[] {
  const plan: Fault[] = [];
  let step = 0;
  for (let count = random.between(0, 6); count > 0; count -= 1) {
    step += random.happens(0.4) ? random.between(1, 15) : random.between(1, 120);
    plan.push({ step, kind: random.pick(faultKinds), duration: random.between(20, 1500) });
  }
  return plan;
}

export function describeFault({ step, kind, duration }: Fault): string {
  const hasDuration = kind.startsWith("fill") || kind.startsWith("break") || kind === "lose the journal";
  return `step ${step}: ${kind}${hasDuration ? ` for ${duration} ms` : ""}`;
}
