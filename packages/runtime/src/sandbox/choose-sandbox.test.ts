import { FairleadError, type ErrorCode } from "@fairlead/contract";
import { expect, test, vi } from "vitest";
import { chooseSandbox } from "./choose-sandbox.ts";

const withCode = (code: ErrorCode) => (error: unknown) => FairleadError.is(error, code);
const available = (): Promise<null> => Promise.resolve(null);
const unavailable = (): Promise<string> => Promise.resolve("It fails.");
const open = { kind: "none", workspace: "write", network: "open" } as const;

test("a session that asks for nothing gets the fallback where it is available", async () => {
  expect(await chooseSandbox({}, "bwrap", available)).toEqual({ ...open, kind: "bwrap" });
  expect(await chooseSandbox({}, "bwrap", unavailable)).toEqual(open);
});

test("a session without a sandbox does not try whether there is one", async () => {
  const findProblem = vi.fn(unavailable);
  expect(await chooseSandbox({}, "none", findProblem)).toEqual(open);
  expect(await chooseSandbox({ kind: "none" }, "bwrap", findProblem)).toEqual(open);
  expect(findProblem).not.toHaveBeenCalled();
});

test.each([{ kind: "bwrap" }, { network: "none" }, { network: "gate" }, { workspace: "read" }] as const)(
  "%o needs a sandbox, and is refused without one",
  async (requested) => {
    expect(await chooseSandbox(requested, "none", available)).toMatchObject({ ...requested, kind: "bwrap" });
    await expect(chooseSandbox(requested, "none", unavailable)).rejects.toSatisfy(withCode("not-supported"));
  },
);

test.each([{ network: "none" }, { network: "gate" }, { workspace: "read" }] as const)(
  "%o without a sandbox is refused, because nothing would enforce it",
  async (limit) => {
    const choice = chooseSandbox({ kind: "none", ...limit }, "bwrap", available);
    await expect(choice).rejects.toSatisfy(withCode("invalid-request"));
  },
);

test("a sandbox that names no network gets the fallback's, and a session without a sandbox does not", async () => {
  const gated = { kind: "bwrap", workspace: "write", network: "gate" };
  expect(await chooseSandbox({}, "bwrap", available, "gate")).toEqual(gated);
  expect(await chooseSandbox({ kind: "bwrap" }, "none", available, "gate")).toEqual(gated);
  expect(await chooseSandbox({ network: "open" }, "bwrap", available, "gate")).toEqual({ ...gated, network: "open" });
  expect(await chooseSandbox({}, "bwrap", unavailable, "gate")).toEqual(open);
  expect(await chooseSandbox({}, "none", available, "gate")).toEqual(open);
});
