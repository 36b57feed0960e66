import { expect, test } from "vitest";
import { errorCodes, FairleadError } from "./fairlead-error.ts";

/** An error of another copy of this package: the same brand, a different class. */
class ForeignFairleadError extends Error {
  readonly code = "fenced";

  constructor(message: string) {
    super(message);
    Object.defineProperty(this, Symbol.for("fairlead.error"), { value: true });
  }
}

test("has a code, a message, a name and a cause", () => {
  const cause = new Error("deeper");
  const error = new FairleadError("timed-out", "It took too long.", { cause });
  expect(error).toMatchObject({ code: "timed-out", message: "It took too long.", name: "FairleadError", cause });
  expect(String(error)).toBe("FairleadError: It took too long.");
});

test("hides the brand from printing and copying", () => {
  expect(Reflect.ownKeys(Object.assign({}, new FairleadError("fenced", "no")))).toEqual(["code", "name"]);
});

test("recognizes an error of another copy of the package by its brand", () => {
  expect(FairleadError.isInstance(new FairleadError("fenced", "no"))).toBe(true);
  expect(new ForeignFairleadError("no")).not.toBeInstanceOf(FairleadError);
  expect(FairleadError.isInstance(new ForeignFairleadError("no"))).toBe(true);
  expect(FairleadError.is(new ForeignFairleadError("no"), "fenced")).toBe(true);
});

test.each([
  ["another error", Object.assign(new Error("no"), { code: "fenced" })],
  ["a branded object that is not an error", { [Symbol.for("fairlead.error")]: true, code: "fenced" }],
  ["null", null],
  ["a string", "fenced"],
])("does not recognize %s", (_, value) => {
  expect(FairleadError.isInstance(value)).toBe(false);
  expect(FairleadError.is(value, "fenced")).toBe(false);
});

test("matches its own code only", () => {
  const error = new FairleadError("fenced", "no");
  expect(errorCodes.filter((code) => FairleadError.is(error, code))).toEqual(["fenced"]);
});

test("the codes do not change: other programs branch on them", () => {
  expect(errorCodes.join(" ")).toBe(
    "invalid-settings unknown-agent not-installed not-supported session-not-found session-ended session-paused " +
      "session-not-paused no-open-turn input-closed input-full decision-not-open taken-over not-taken-over " +
      "no-conversation adapter-failed too-large limit-reached fenced corrupt " +
      "unavailable timed-out not-started " +
      "invalid-request not-allowed conflict indeterminate",
  );
});
