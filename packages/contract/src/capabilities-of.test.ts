import { expect, test } from "vitest";
import { z } from "zod";
import { capabilitiesOf, mustAskAboutAll, usesFallback } from "./capabilities-of.ts";
import type { Manifest } from "./manifest.ts";
import type { Opening } from "./opening.ts";
import { defaultPolicySource, type Policy } from "./policy/policy.ts";

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

test("an agent is made to ask about all in full-auto with a policy, and elsewhere if a person wrote a rule", () => {
  const asking: Manifest = { ...manifest, capabilities: ["approvals", "asks-all"] };
  const byDefault: Policy = { source: defaultPolicySource, rules: [{ verdict: "ask", category: "merge" }] };
  const own: Policy = { source: "policy.yaml", rules: [{ verdict: "deny", path: ".env" }] };
  const granted: Policy = { source: "policy.yaml", rules: [], grants: [{ command: "npm test", categories: [] }] };
  const must = (mode: string, policies: Policy[] | null, by: Manifest = asking): boolean => {
    const policy = policies === null ? {} : { policy: { policies, unattended: "wait" } };
    return mustAskAboutAll(by, { mode, probeResult: { version: "1", flags: [] }, ...policy } as unknown as Opening);
  };
  for (const mode of ["default", "accept-edits"]) {
    expect(must(mode, [own, byDefault])).toBe(true);
    expect(must(mode, [granted, byDefault])).toBe(false);
    expect(must(mode, [byDefault])).toBe(false);
  }
  expect(must("full-auto", [byDefault])).toBe(true);
  expect(must("full-auto", null)).toBe(false);
  expect(must("full-auto", [own], manifest)).toBe(false);
  for (const mode of ["plan", "dangerously-skip-permissions"]) expect(must(mode, [own])).toBe(false);
});
