import { FairleadError } from "@fairlead/contract";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Fence, EventBatch, LogTail } from "../event-log.ts";
import type { Journal } from "../ownership.ts";
import { formatEvents, type OpenJournal } from "./test-writer.ts";

/** A valid or invalid append. `back` is the age of its fence; the offsets make its epoch and first sequence wrong. */
const appendArbitrary = fc.record({
  kind: fc.constant("append" as const),
  session: fc.constantFrom("a", "b"),
  count: fc.integer({ min: 0, max: 3 }),
  back: fc.constantFrom(0, 0, 0, 1, 2),
  epochOff: fc.constantFrom(0, 0, 0, -1, 1),
  firstOff: fc.constantFrom(0, 0, 0, -1, 1),
});
const claimArbitrary = fc.record({ kind: fc.constant("claim" as const), session: fc.constantFrom("a", "b") });
const forgetArbitrary = fc.record({
  kind: fc.constant("forget" as const),
  session: fc.constantFrom("a", "b"),
  back: fc.constantFrom(0, 0, 1),
});
const operationArbitrary = fc.oneof(
  { weight: 6, arbitrary: appendArbitrary },
  { weight: 2, arbitrary: claimArbitrary },
  { weight: 1, arbitrary: forgetArbitrary },
);
type AppendOperation = typeof appendArbitrary extends fc.Arbitrary<infer Value> ? Value : never;

/** The simplest model of one session's journal. */
interface SessionModel {
  tail: LogTail;
  /** All fences so far, oldest first. Only the last can be valid. */
  readonly fences: Fence[];
  events: string[];
}

export function testAgainstModel(open: OpenJournal): void {
  test("matches the model after any sequence of claims, valid and invalid appends, and removals", async () => {
    const property = fc.asyncProperty(fc.array(operationArbitrary, { maxLength: 40 }), async (operations) => {
      await using journal = await open();
      const models = new Map(["a", "b"].map((name) => [name, createModel()]));
      for (const [index, operation] of operations.entries()) {
        const model = models.get(operation.session) ?? createModel();
        if (operation.kind === "append") await appendToBoth(journal, model, operation, index);
        else if (operation.kind === "forget") await forgetBoth(journal, model, operation.session, operation.back);
        else await claimBoth(journal, model, operation.session, `owner ${index}`);
      }
      for (const [session, model] of models) {
        expect(await journal.tail(session)).toEqual(model.tail);
        expect(formatEvents(await Array.fromAsync(journal.read(session, 0)))).toEqual(model.events);
      }
    });
    await fc.assert(property, { numRuns: 60 });
  }, 60_000);
}

function createModel(): SessionModel {
  return { tail: { epoch: 0, last: 0, fence: 0n, owner: "" }, fences: [0n], events: [] };
}

async function claimBoth(journal: Journal, model: SessionModel, session: string, owner: string): Promise<void> {
  const newClaim = await journal.claim(session, owner);
  expect(newClaim).toMatchObject({ epoch: model.tail.epoch + 1, last: model.tail.last });
  advanceModel(model, { ...newClaim, owner });
}

async function appendToBoth(
  journal: Journal,
  model: SessionModel,
  operation: AppendOperation,
  index: number,
): Promise<void> {
  const { tail } = model;
  const isClaim = operation.count === 0;
  const fence = fenceOf(model, operation.back);
  const batch: EventBatch = {
    session: operation.session,
    epoch: tail.epoch + (isClaim ? 1 : 0) + operation.epochOff,
    first: tail.last + 1 + operation.firstOff,
    events: Array.from({ length: operation.count }, (_, n) => Buffer.from(`${index}.${n}`)),
    owner: `owner ${index}`,
  };
  const hasOwner = isClaim || tail.epoch > 0;
  const isAllowed = hasOwner && fence === tail.fence && operation.epochOff === 0 && operation.firstOff === 0;
  const outcome = await journal.append(batch, fence).catch((error: unknown) => error);
  if (!isAllowed) {
    expect(FairleadError.is(outcome, "fenced")).toBe(true);
    return;
  }
  expect(outcome).toBeTypeOf("bigint");
  model.events.push(...formatEvents([batch]));
  advanceModel(model, {
    epoch: batch.epoch,
    last: tail.last + operation.count,
    fence: outcome as Fence,
    owner: batch.owner,
  });
}

async function forgetBoth(journal: Journal, model: SessionModel, session: string, back: number): Promise<void> {
  const fence = fenceOf(model, back);
  const outcome = await journal.forget(session, fence).catch((error: unknown) => error);
  if (fence !== model.tail.fence) {
    expect(FairleadError.is(outcome, "fenced")).toBe(true);
    return;
  }
  expect(outcome).toBeUndefined();
  model.tail = createModel().tail;
  model.events = [];
}

/** Returns the fence that was valid `back` changes ago. */
function fenceOf({ tail, fences }: SessionModel, back: number): Fence {
  return back === 0 ? tail.fence : (fences.at(-1 - back) ?? 0n);
}

function advanceModel(model: SessionModel, tail: LogTail): void {
  expect(model.fences).not.toContain(tail.fence);
  model.tail = tail;
  model.fences.push(tail.fence);
}
