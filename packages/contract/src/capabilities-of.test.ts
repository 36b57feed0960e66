import { expect, test } from "vitest";
import { z } from "zod";
import { capabilitiesOf, usesFallback } from "./capabilities-of.ts";
import type { Manifest } from "./manifest.ts";

const manifest: Manifest = {
  contract: "adapter/1",
  id: "some",
  version: "1.0.0",
  vendor: "Some vendor",
  label: "Some",
  models: [],
  capabilities: ["tools", "questions", "approvals"],
  since: { questions: "2.0.77" },
  modes: ["default"],
  settings: z.strictObject({}),
  environment: [],
};
const fallback = {
  missingFlag: "--server",
  whenFlagsUnknown: false,
  protocol: "turns",
  capabilities: ["tools", "questions"],
} as const;

test("leaves out capabilities that the version is too old for", () => {
  expect(capabilitiesOf(manifest, "1.0.128")).toEqual(["tools", "approvals"]);
  expect(capabilitiesOf(manifest, "2.0.8")).toEqual(["tools", "approvals"]);
});

test("lists every capability from that version on, and for an unknown version", () => {
  for (const version of ["2.0.77", "2.0.100", "2.1.3", "10.0.0", null]) {
    expect(capabilitiesOf(manifest, version)).toEqual(["tools", "questions", "approvals"]);
  }
});

test("lists the capabilities of the fallback protocol for a program without the flag", () => {
  const withFallback = { ...manifest, fallback };
  expect(capabilitiesOf(withFallback, null, ["--help", "--server"])).toContain("approvals");
  expect(capabilitiesOf(withFallback, null, ["--help"])).toEqual(["tools", "questions"]);
  expect(capabilitiesOf(withFallback, "2.0.8", ["--help"])).toEqual(["tools"]);
});

test("lets the manifest decide what an unreadable help means", () => {
  expect(usesFallback(fallback, [])).toBe(false);
  expect(usesFallback({ ...fallback, whenFlagsUnknown: true }, [])).toBe(true);
});
