import { FairleadError } from "@fairlead/contract";
import { expect, it } from "vitest";
import { complaintOf } from "./complaint.ts";
import { WrongUse } from "./wrong-use.ts";

it.each([
  [new FairleadError("invalid-settings", "No."), 2],
  [new FairleadError("unknown-agent", "Who?"), 2],
  [new WrongUse("What?"), 2],
  [new FairleadError("not-installed", "Not here."), 1],
  [new Error("Oh."), 1],
])("%s exits with %d", (error, exitCode) => {
  expect(complaintOf(error, false).exitCode).toBe(exitCode);
});

it("says what is wrong and what to type next, and shows no stack", () => {
  expect(complaintOf(new FairleadError("not-installed", "It is not here."), false).text).toBe(
    "fairlead: It is not here.\nTry: fairlead doctor\n",
  );
});

it("does not give the same advice twice", () => {
  const error = new FairleadError("session-not-found", "There is none. `fairlead ls` lists them.");
  expect(complaintOf(error, false).text).not.toContain("Try");
});

it("shows the stack to whoever asks for it", () => {
  expect(complaintOf(new Error("Oh."), true).text).toContain("complaint.test.ts");
});

it("is harmless in a terminal", () => {
  expect(complaintOf(new Error("a\u001b[2Jb"), false).text).toBe("fairlead: ab\n");
});
