import { FairleadError, type ErrorCode } from "@fairlead/contract";
import { expect, test } from "vitest";
import { chooseSandbox } from "./choose-sandbox.ts";

const withCode = (code: ErrorCode) => expect.toSatisfy((error: unknown) => FairleadError.is(error, code));
const open = { kind: "none", workspace: "write", network: "open" } as const;

test("a session that asks for nothing gets the fallback where it is available", () => {
  expect(chooseSandbox({}, "bwrap", null)).toEqual({ ...open, kind: "bwrap" });
  expect(chooseSandbox({}, "none", null)).toEqual(open);
  expect(chooseSandbox({}, "bwrap", "It fails.")).toEqual(open);
});

test.each([{ kind: "bwrap" }, { network: "none" }, { workspace: "read" }] as const)(
  "%o needs a sandbox, and is refused without one",
  (requested) => {
    expect(chooseSandbox(requested, "none", null)).toMatchObject({ ...requested, kind: "bwrap" });
    expect(() => chooseSandbox(requested, "none", "It fails.")).toThrow(withCode("not-supported"));
  },
);

test("limits without a sandbox are refused, because nothing would enforce them", () => {
  expect(() => chooseSandbox({ kind: "none", network: "none" }, "bwrap", null)).toThrow(withCode("invalid-request"));
  expect(() => chooseSandbox({ kind: "none", workspace: "read" }, "bwrap", null)).toThrow(withCode("invalid-request"));
});
