import type { DecisionView } from "@fairlead/api";
import { type Answer, FairleadError } from "@fairlead/contract";
import { expect, test, vi } from "vitest";
import { inboxKey } from "../state/inbox/inbox-list.ts";
import { type AnswerRoute, Answers, findLateAnswer } from "./answers.ts";

const view = { session: "s", decision: "d", digest: "x", since: "2026-11-15T12:00:00.000Z" } as DecisionView;
const answer: Answer = { type: "allow" };

/** A service that fails so often before it accepts an answer, and a connection that is open or not. */
function createRoute(failures: number, error = new FairleadError("unavailable", "gone")) {
  const keys: (string | undefined)[] = [];
  let opened = Promise.withResolvers<void>();
  let isOpen = false;
  const route: AnswerRoute = {
    fairlead: {
      answer: async (_session, _decision, _answer, options) => {
        keys.push(options?.key);
        if (keys.length <= failures) throw error;
      },
    },
    isOpen: () => isOpen,
    untilOpen: async (signal) => {
      const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      await Promise.race([opened.promise, aborted]);
    },
  };
  const open = (): void => {
    isOpen = true;
    opened.resolve();
  };
  const close = (): void => {
    isOpen = false;
    opened = Promise.withResolvers();
  };
  return { route, keys, open, close };
}

const statusOf = (answers: Answers): string | undefined => answers.getSnapshot().get(inboxKey(view))?.status.type;

test("an answer waits visibly for the connection, and all attempts have one key", async () => {
  const answers = new Answers();
  const { route, keys, open } = createRoute(1);
  const given = answers.give(route, view, answer);
  expect(statusOf(answers)).toBe("queued");
  expect(keys).toEqual([]);
  open();
  await given;
  expect(statusOf(answers)).toBe("sending");
  expect(new Set(keys).size).toBe(1);
  expect(keys).toHaveLength(2);
});

test("an answer that may have arrived cannot be withdrawn: it is sent again when the connection is back", async () => {
  vi.useFakeTimers();
  try {
    const answers = new Answers();
    const { route, keys, open, close } = createRoute(1);
    open();
    const given = answers.give(route, view, answer);
    close();
    await vi.advanceTimersByTimeAsync(0);
    expect(answers.getSnapshot().get(inboxKey(view))?.status).toMatchObject({ type: "queued", mayHaveArrived: true });
    answers.withdraw(view);
    expect(statusOf(answers)).toBe("queued");
    await vi.advanceTimersByTimeAsync(2000);
    answers.withdraw(view);
    expect([statusOf(answers), answers.hasPending, keys.length]).toEqual(["queued", true, 1]);
    open();
    await given;
    expect([statusOf(answers), answers.hasPending, keys.length]).toEqual(["sending", false, 2]);
  } finally {
    vi.useRealTimers();
  }
});

test("an answer in place of one that was withdrawn is pending, and only that one is sent", async () => {
  const answers = new Answers();
  const { route, keys, open } = createRoute(0);
  const first = answers.give(route, view, answer);
  expect(answers.getSnapshot().get(inboxKey(view))?.status).toMatchObject({ mayHaveArrived: false });
  answers.withdraw(view);
  const second = answers.give(route, view, answer);
  await first;
  expect(answers.hasPending).toBe(true);
  expect(statusOf(answers)).toBe("queued");
  open();
  await second;
  expect([keys.length, answers.hasPending]).toEqual([1, false]);
});

test("an answer that was taken back is not sent", async () => {
  const answers = new Answers();
  const { route, keys, open } = createRoute(0);
  const given = answers.give(route, view, answer);
  answers.withdraw(view);
  open();
  await given;
  expect(statusOf(answers)).toBeUndefined();
  expect(keys).toEqual([]);
});

test("a refused answer says why, and one that came too late leaves the card to the journal", async () => {
  for (const [code, status] of [
    ["not-allowed", "refused"],
    ["decision-not-open", "late"],
  ] as const) {
    const answers = new Answers();
    const { route, open } = createRoute(9, new FairleadError(code, "no"));
    open();
    await answers.give(route, view, answer);
    expect(statusOf(answers)).toBe(status);
  }
});

test("an answer that came too late is found for its request, and for no other one", async () => {
  const answers = new Answers();
  const { route, open } = createRoute(1, new FairleadError("decision-not-open", "closed"));
  open();
  await answers.give(route, view, answer);
  const sent = [...answers.getSnapshot().values()];
  expect(findLateAnswer(sent, view)).toEqual(answer);
  expect(findLateAnswer(sent, { session: "s", decision: "other" })).toBeNull();
  expect(findLateAnswer(sent, { session: "s", decision: "d" })).toEqual(answer);
  expect(findLateAnswer(sent, { session: "s", decision: "d", digest: "another" })).toBeNull();
  const accepted = createRoute(0);
  accepted.open();
  const others = new Answers();
  await others.give(accepted.route, view, answer);
  expect(findLateAnswer(others.getSnapshot().values(), view)).toBeNull();
});
