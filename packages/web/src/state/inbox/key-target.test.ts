import fc from "fast-check";
import { expect, test } from "vitest";
import { armDelay } from "./arming.ts";
import { KeyTarget } from "./key-target.ts";

test("a card that is alone has the keys, after the time that a control must be on screen", () => {
  const target = new KeyTarget();
  target.add("a", 1000);
  expect(target.getSnapshot()).toEqual({ card: "a", count: 1 });
  expect(target.isReady("a", 1000 + armDelay - 1)).toBe(false);
  expect(target.isReady("a", 1000 + armDelay)).toBe(true);
});

test("of several cards none has the keys until the person chooses one, which keeps them", () => {
  const target = new KeyTarget();
  target.add("a", 0);
  target.add("b", 1000);
  expect(target.getSnapshot()).toEqual({ card: null, count: 2 });
  expect(target.isReady("a", 5000)).toBe(false);
  target.choose("a", 5000);
  expect(target.isReady("a", 5000 + armDelay - 1)).toBe(false);
  expect(target.isReady("a", 5000 + armDelay)).toBe(true);
  target.add("c", 6000);
  target.choose("a", 6000);
  expect(target.isReady("a", 6000)).toBe(true);
  expect(target.isReady("b", 9000)).toBe(false);
});

test("the key that is pressed once too often does not answer the card that remains", () => {
  const target = new KeyTarget();
  target.add("a", 0);
  target.add("b", 0);
  target.choose("a", 0);
  target.remove("a", 1000);
  expect(target.getSnapshot()).toEqual({ card: null, count: 1 });
  target.choose("a", 1000);
  expect(target.isReady("b", 9000)).toBe(false);
  target.add("c", 9000);
  expect(target.getSnapshot()).toEqual({ card: null, count: 2 });
});

test("a card has the keys only if it was chosen, or alone when it appeared and since", () => {
  const card = fc.constantFrom("a", "b", "c");
  const steps = fc.array(fc.tuple(fc.constantFrom("add", "remove", "choose"), card), { maxLength: 20 });
  fc.assert(
    fc.property(steps, (all) => {
      const target = new KeyTarget();
      const cards = new Set<string>();
      let allowed: string | null = null;
      let isChosen = false;
      for (const [step, one] of all) {
        if (step === "add" && cards.has(one)) continue;
        if (step === "choose" && !cards.has(one)) continue;
        target[step as "add"](one, 0);
        if (step === "add") cards.add(one);
        if (step === "remove") cards.delete(one);
        if (step === "choose") [allowed, isChosen] = [one, true];
        else if (step === "add" && cards.size === 1) [allowed, isChosen] = [one, false];
        else if (step === "add" && !isChosen) allowed = null;
        else if (step === "remove" && allowed === one) [allowed, isChosen] = [null, false];
        expect(target.getSnapshot()).toEqual({ card: allowed, count: cards.size });
      }
    }),
  );
});
