import type { DecisionView } from "@fairlead/api";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type InboxEntry,
  leaveClosed,
  listWaiting,
  nextOpen,
  stepInInbox,
  updateInbox,
  updatePreview,
} from "./inbox-list.ts";

const request = (decision: string, changed: Partial<DecisionView> = {}): DecisionView => ({
  decision,
  session: "54tq",
  agent: "scripted",
  kind: "approval",
  title: "run",
  since: `2026-11-15T12:00:0${decision}.000Z`,
  digest: "d".repeat(64),
  replaces: false,
  ...changed,
});
const names = (list: readonly InboxEntry[]): string[] =>
  list.map(({ view, isOpen }) => `${view.decision}${isOpen ? "" : " closed"}`);

describe("the cards", () => {
  it("are the longest wait first when the inbox is opened", () => {
    expect(names(updateInbox([], [request("2"), request("1")]))).toEqual(["1", "2"]);
  });

  it("are in the order of the requests if the agent asked at the same time", () => {
    const since = "2026-11-15T12:00:00.000Z";
    const views = ["b", "c", "a"].map((decision) => request(decision, { since }));
    expect(names(updateInbox([], views))).toEqual(["b", "c", "a"]);
  });

  it("are added below, also if they waited longer", () => {
    const list = updateInbox([], [request("2")]);
    expect(names(updateInbox(list, [request("1"), request("2")]))).toEqual(["2", "1"]);
  });

  it("stay at their place when they are closed, until the person leaves them", () => {
    const list = updateInbox(updateInbox([], [request("1"), request("2")]), [request("2")]);
    expect(names(list)).toEqual(["1 closed", "2"]);
    expect(names(leaveClosed(list))).toEqual(["2"]);
  });

  it("of a request with a used id are other cards", () => {
    const list = updateInbox(updateInbox([], [request("1")]), [request("1", { digest: "e".repeat(64) })]);
    expect(names(list)).toEqual(["1 closed", "1"]);
  });

  it("of the same request that is asked again are other cards", () => {
    const again = request("1", { since: "2026-11-15T13:00:00.000Z" });
    expect(names(updateInbox(updateInbox([], [request("1")]), [again]))).toEqual(["1 closed", "1"]);
  });

  it("stay the same object if nothing changed", () => {
    const views = [request("1"), request("2")];
    const list = updateInbox([], views);
    expect(updateInbox(list, views)).toBe(list);
  });

  it("never change places, and are all that is open", () => {
    const opens = fc.array(fc.uniqueArray(fc.constantFrom("1", "2", "3", "4", "5", "6")), { maxLength: 12 });
    fc.assert(
      fc.property(opens, (steps) => {
        let list: readonly InboxEntry[] = [];
        for (const open of steps) {
          const before = list.map(({ key }) => key);
          list = updateInbox(
            list,
            open.map((id) => request(id)),
          );
          expect(list.slice(0, before.length).map(({ key }) => key)).toEqual(before);
          expect(list.flatMap(({ view, isOpen }) => (isOpen ? [view.decision] : [])).toSorted()).toEqual(
            open.toSorted(),
          );
        }
      }),
    );
  });
});

it("beside the list, the open cards and the last closed one stay at their places", () => {
  const views = ["1", "2", "3", "4"].map((id) => request(id));
  const without = (...ids: string[]): DecisionView[] => views.filter(({ decision }) => !ids.includes(decision));
  let list = updatePreview([], views);
  list = updatePreview(list, without("2"));
  expect(names(list)).toEqual(["1", "2 closed", "3", "4"]);
  expect(updatePreview(list, without("2"))).toBe(list);
  list = updatePreview(list, without("2", "1"));
  expect(names(list)).toEqual(["1 closed", "3", "4"]);
  list = updatePreview(list, [request("1", { digest: "e".repeat(64) })]);
  expect(names(list)).toEqual(["4 closed", "1"]);
});

it("requests that the mode answers do not wait for a person", () => {
  const sessions = new Map([["54tq", { mode: "full-auto" as const }]]);
  const asked = request("2", { reading: { verdict: "ask", reason: "", rule: null, commands: [] } });
  expect(listWaiting([request("1"), asked], sessions)).toEqual([asked]);
  expect(listWaiting([request("1"), asked], new Map())).toHaveLength(2);
});

describe("the keys of the inbox", () => {
  const all = updateInbox(
    [],
    ["1", "2", "3"].map((one) => request(one)),
  );
  const list = updateInbox(all, [request("1"), request("3")]);
  const [one, two, three] = list.map(({ key }) => key);

  it("step to the card below or above, and stay in the list", () => {
    expect([stepInInbox(list, one ?? null, 1), stepInInbox(list, two ?? null, -1)]).toEqual([two, one]);
    expect([stepInInbox(list, three ?? null, 1), stepInInbox(list, one ?? null, -1)]).toEqual([three, one]);
    expect([stepInInbox([], null, 1), stepInInbox(list, null, 1)]).toEqual([null, one]);
  });

  it("leave a closed card for the open one below it, or else for the first one", () => {
    expect(nextOpen(list, two ?? null)).toBe(three);
    expect(nextOpen(updateInbox(list, [request("1")]), three ?? null)).toBe(one);
    expect(nextOpen(updateInbox(list, []), one ?? null)).toBeNull();
  });
});
