import type { Sandbox } from "@fairlead/contract";
import { expect, test } from "vitest";
import { narrowRequest } from "./narrow-request.ts";

const request = { workspace: "/w" };
const sandbox: Sandbox = {
  kind: "bwrap",
  workspace: "read",
  network: "gate",
  writes: [],
  protects: [],
  hides: [],
  shows: [],
};

test("a session that only plans starts only sessions that plan", () => {
  expect(narrowRequest(request, { mode: "plan" })).toEqual({ ...request, mode: "plan" });
  expect(() => narrowRequest({ ...request, mode: "default" }, { mode: "plan" })).toThrow("can only plan, too");
  expect(narrowRequest({ ...request, mode: "plan" }, { mode: "default" })).toEqual({ ...request, mode: "plan" });
});

test("a request without a sandbox has that of the parent, and one with a sandbox keeps it", () => {
  const inherited = { kind: "bwrap", workspace: "read", network: "gate" };
  expect(narrowRequest(request, { mode: "default", sandbox })).toEqual({ ...request, sandbox: inherited });
  const asked = { ...request, sandbox: { network: "open" } } as const;
  expect(narrowRequest(asked, { mode: "default", sandbox }).sandbox).toEqual({ ...inherited, network: "open" });
  expect(narrowRequest(request, { mode: "default", sandbox: { ...sandbox, kind: "none" } })).toEqual(request);
});
