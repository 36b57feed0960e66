import type { DecisionView } from "@fairlead/api";
import { describe, expect, it } from "vitest";
import { findNotices, formatTitle, type KnownWaits } from "./notices.ts";

const request = (decision: string): DecisionView => ({
  decision,
  session: "54tq",
  agent: "scripted",
  kind: "approval",
  title: "run",
  since: "2026-11-15T12:00:00.000Z",
  digest: decision.repeat(64),
  replaces: false,
});
const tell = (steps: readonly string[]): string[] => {
  let known: KnownWaits = null;
  return steps.map((step) => {
    const notices = findNotices(known, step.split("").map(request));
    ({ known } = notices);
    return notices.fresh.map(({ decision }) => decision).join("");
  });
};

describe("a notice", () => {
  it("is not given for what waits when the page is opened", () => expect(tell(["ab"])).toEqual([""]));
  it("is given once for what begins to wait", () => expect(tell(["a", "ab", "ab"])).toEqual(["", "b", ""]));
  it("is not given again after an outage", () => expect(tell(["", "a", "", "a"])).toEqual(["", "a", "", ""]));
});

it.each([
  [0, "Fairlead"],
  [3, "(3) Fairlead"],
])("the title of %d", (count, title) => expect(formatTitle(count)).toBe(title));
