import type { Chance } from "./chance-for-test.ts";

export const faultKinds = [
  "kill the actor",
  "kill the actor",
  "start a rival",
  "kill the keeper",
  "lose power",
  "fill the disk",
  "break the disk",
  "cut the connection",
  "lose the journal",
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** Something that goes wrong, before a step of the simulation. */
export interface Fault {
  readonly step: number;
  readonly kind: FaultKind;
  /** How long it goes on, in milliseconds, if it does. */
  readonly lasts: number;
}

/** What goes wrong in a simulation, in order. Often things go wrong soon after one another. */
export function planFaults(chance: Chance): Fault[] {
  const plan: Fault[] = [];
  let step = 0;
  for (let count = chance.between(0, 6); count > 0; count -= 1) {
    step += chance.happens(0.4) ? chance.between(1, 15) : chance.between(1, 120);
    plan.push({ step, kind: chance.pick(faultKinds), lasts: chance.between(20, 1500) });
  }
  return plan;
}

export function describeFault({ step, kind, lasts }: Fault): string {
  const going = kind.startsWith("fill") || kind.startsWith("break") || kind === "lose the journal";
  return `step ${step}: ${kind}${going ? ` for ${lasts} ms` : ""}`;
}
