import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { armDelay, type Arming, isArmed, observeControl, type Sighting } from "./arming.ts";

const place = { x: 20, y: 600, width: 160, height: 48 };
const see = (sightings: readonly (readonly [now: number, sighting: Sighting])[]): Arming | null =>
  sightings.reduce<Arming | null>((before, [now, sighting]) => observeControl(before, sighting, now), null);

describe("a control", () => {
  it("is armed half a second after it was first seen, and not before", () => {
    const arming = observeControl(null, { place, content: "a" }, 1000);
    expect(isArmed(arming, 1000 + armDelay - 1)).toBe(false);
    expect(isArmed(arming, 1000 + armDelay)).toBe(true);
  });

  it.each<[string, Sighting]>([
    ["moves", { place: { ...place, y: 560 }, content: "a" }],
    ["grows", { place: { ...place, height: 60 }, content: "a" }],
    ["answers another request", { place, content: "b" }],
    ["leaves the screen", { place: null, content: "a" }],
  ])("is not armed after it %s", (_, changed) => {
    const arming = see([
      [0, { place, content: "a" }],
      [900, { place, content: "a" }],
      [1000, changed],
    ]);
    expect(arming !== null && isArmed(arming, 1400)).toBe(false);
  });

  it("counts again after it was away, also at the same place", () => {
    const arming = see([
      [0, { place, content: "a" }],
      [1000, { place: null, content: "a" }],
      [1100, { place, content: "a" }],
    ]);
    expect(arming !== null && isArmed(arming, 1500)).toBe(false);
    expect(arming !== null && isArmed(arming, 1600)).toBe(true);
  });

  it("that creeps by less than a pixel each time counts as moved", () => {
    const creep = Array.from(
      { length: 40 },
      (_, at) => [at * 50, { place: { ...place, y: at * 0.8 }, content: "a" }] as const,
    );
    expect(creep.every(([now], at) => !isArmed(see(creep.slice(0, at + 1)) as Arming, now))).toBe(true);
  });

  it("is armed only if every sighting of the last half second is the same", () => {
    const sighting = fc.record({
      place: fc.option(
        fc.record({
          x: fc.constantFrom(20, 24),
          y: fc.constantFrom(600, 540),
          width: fc.constant(160),
          height: fc.constant(48),
        }),
      ),
      content: fc.constantFrom("a", "b"),
    });
    const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 300 }), sighting), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(steps, (list) => {
        let now = 0;
        const seen = list.map(([wait, one]) => [(now += wait), one] as const);
        const arming = see(seen);
        if (arming === null || !isArmed(arming, now)) return;
        const [, last] = seen.at(-1) as (typeof seen)[number];
        const recent = seen.filter(([at]) => at >= now - armDelay);
        expect(recent.every(([, one]) => JSON.stringify(one) === JSON.stringify(last))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
