import { expect, test } from "vitest";
import { errorCodes, FairleadError } from "./error.ts";

/** The class as another copy of this package would bring it: the same brand, no kinship. */
class FromAnotherCopy extends Error {
  readonly code = "fenced";

  constructor(message: string) {
    super(message);
    Object.defineProperty(this, Symbol.for("fairlead.error"), { value: true });
  }
}

test("an error has a code, a message, a name and a cause", () => {
  const cause = new Error("deeper");
  const error = new FairleadError("timed-out", "It took too long.", { cause });
  expect(error).toMatchObject({ code: "timed-out", message: "It took too long.", name: "FairleadError", cause });
  expect(String(error)).toBe("FairleadError: It took too long.");
});

test("the brand is not in the way when an error is printed or copied", () => {
  expect(Reflect.ownKeys(Object.assign({}, new FairleadError("fenced", "no")))).toEqual(["code", "name"]);
});

test("an error is known by its brand, also one from another copy of the package", () => {
  expect(FairleadError.isInstance(new FairleadError("fenced", "no"))).toBe(true);
  expect(new FromAnotherCopy("no")).not.toBeInstanceOf(FairleadError);
  expect(FairleadError.isInstance(new FromAnotherCopy("no"))).toBe(true);
  expect(FairleadError.is(new FromAnotherCopy("no"), "fenced")).toBe(true);
});

test.each([
  ["another error", Object.assign(new Error("no"), { code: "fenced" })],
  ["something branded that is no error", { [Symbol.for("fairlead.error")]: true, code: "fenced" }],
  ["nothing", null],
  ["a word", "fenced"],
])("%s is not taken for one of ours", (_, other) => {
  expect(FairleadError.isInstance(other)).toBe(false);
  expect(FairleadError.is(other, "fenced")).toBe(false);
});

test("callers decide by code", () => {
  const error = new FairleadError("fenced", "no");
  expect(errorCodes.filter((code) => FairleadError.is(error, code))).toEqual(["fenced"]);
});

test("the codes are these: callers elsewhere decide by them", () => {
  expect(errorCodes.join(" ")).toBe(
    "invalid-settings unknown-agent not-installed not-supported session-not-found session-ended session-paused " +
      "session-not-paused no-open-turn decision-not-open taken-over not-taken-over no-conversation fenced corrupt " +
      "unavailable timed-out not-started " +
      "invalid-request not-allowed conflict indeterminate",
  );
});
