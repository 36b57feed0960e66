import { FairleadError } from "@fairlead/contract";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Fence, Frame, Tail } from "../event-log.ts";
import type { Journal } from "../ownership.ts";
import { told, type Open } from "./author.ts";

/** A wish to append, right or wrong: `back` says how many fences ago the writer looked, the others how far off it is. */
const append = fc.record({
  kind: fc.constant("append" as const),
  session: fc.constantFrom("a", "b"),
  count: fc.integer({ min: 0, max: 3 }),
  back: fc.constantFrom(0, 0, 0, 1, 2),
  epochOff: fc.constantFrom(0, 0, 0, -1, 1),
  firstOff: fc.constantFrom(0, 0, 0, -1, 1),
});
const claim = fc.record({ kind: fc.constant("claim" as const), session: fc.constantFrom("a", "b") });
const forget = fc.record({
  kind: fc.constant("forget" as const),
  session: fc.constantFrom("a", "b"),
  back: fc.constantFrom(0, 0, 1),
});
const step = fc.oneof(
  { weight: 6, arbitrary: append },
  { weight: 2, arbitrary: claim },
  { weight: 1, arbitrary: forget },
);
type Append = typeof append extends fc.Arbitrary<infer Value> ? Value : never;

/** The journal of one session as simply as it can be said. */
interface Model {
  tail: Tail;
  /** All that there ever were, and at the end the one that is good. */
  readonly fences: Fence[];
  told: string[];
}

export function modelled(open: Open): void {
  test("any sequence of claims, and of appends and forgetting, right or wrong, goes as it does on paper", async () => {
    const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      await using journal = await open();
      const models = new Map(["a", "b"].map((name) => [name, paper()]));
      for (const [index, wish] of steps.entries()) {
        const model = models.get(wish.session) ?? paper();
        if (wish.kind === "append") await appendToBoth(journal, model, wish, index);
        else if (wish.kind === "forget") await forgetBoth(journal, model, wish.session, wish.back);
        else await claimBoth(journal, model, wish.session, `owner ${index}`);
      }
      for (const [session, model] of models) {
        expect(await journal.tail(session)).toEqual(model.tail);
        expect(told(await Array.fromAsync(journal.read(session, 0)))).toEqual(model.told);
      }
    });
    await fc.assert(property, { numRuns: 60 });
  }, 60_000);
}

function paper(): Model {
  return { tail: { epoch: 0, last: 0, fence: 0n, owner: "" }, fences: [0n], told: [] };
}

async function claimBoth(journal: Journal, model: Model, session: string, owner: string): Promise<void> {
  const claimed = await journal.claim(session, owner);
  expect(claimed).toMatchObject({ epoch: model.tail.epoch + 1, last: model.tail.last });
  grow(model, { ...claimed, owner });
}

async function appendToBoth(journal: Journal, model: Model, wish: Append, index: number): Promise<void> {
  const { tail } = model;
  const isClaim = wish.count === 0;
  const fence = fenceOf(model, wish.back);
  const frame: Frame = {
    session: wish.session,
    epoch: tail.epoch + (isClaim ? 1 : 0) + wish.epochOff,
    first: tail.last + 1 + wish.firstOff,
    events: Array.from({ length: wish.count }, (_, n) => Buffer.from(`${index}.${n}`)),
    owner: `owner ${index}`,
  };
  const owned = isClaim || tail.epoch > 0;
  const allowed = owned && fence === tail.fence && wish.epochOff === 0 && wish.firstOff === 0;
  const outcome = await journal.append(frame, fence).catch((error: unknown) => error);
  if (!allowed) {
    expect(FairleadError.is(outcome, "fenced")).toBe(true);
    return;
  }
  expect(outcome).toBeTypeOf("bigint");
  model.told.push(...told([frame]));
  grow(model, { epoch: frame.epoch, last: tail.last + wish.count, fence: outcome as Fence, owner: frame.owner });
}

async function forgetBoth(journal: Journal, model: Model, session: string, back: number): Promise<void> {
  const fence = fenceOf(model, back);
  const outcome = await journal.forget(session, fence).catch((error: unknown) => error);
  if (fence !== model.tail.fence) {
    expect(FairleadError.is(outcome, "fenced")).toBe(true);
    return;
  }
  expect(outcome).toBeUndefined();
  model.tail = paper().tail;
  model.told = [];
}

/** The fence that somebody has who looked so many fences ago. */
function fenceOf({ tail, fences }: Model, back: number): Fence {
  return back === 0 ? tail.fence : (fences.at(-1 - back) ?? 0n);
}

function grow(model: Model, tail: Tail): void {
  expect(model.fences).not.toContain(tail.fence);
  model.tail = tail;
  model.fences.push(tail.fence);
}
