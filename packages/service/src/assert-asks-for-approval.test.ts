import { adapters } from "@fairlead/adapters";
import type { Manifest } from "@fairlead/contract";
import { expect, test } from "vitest";
import { assertAsksForApproval, type SessionStartSettings } from "./assert-asks-for-approval.ts";

const manifestOf = (agent: string) => adapters.find(({ manifest }) => manifest.id === agent)!.manifest;
/** An agent that asks for approval and accepts flags of its program as settings. */
const manifestWithFlags = adapters.find(
  ({ manifest: { capabilities, settings } }) =>
    capabilities.includes("approvals") && settings.safeParse({ model: "some", maxTurns: 3, options: {} }).success,
)!.manifest;
const flagsOf = ({ fallback }: Manifest): string[] => (fallback === undefined ? [] : [fallback.missingFlag]);
const defaultStart: SessionStartSettings = {
  mode: "default",
  settings: {},
  probeResult: { version: null, flags: [] },
};
const flagsStart = { ...defaultStart, probeResult: { version: null, flags: flagsOf(manifestWithFlags) } };

test("accepts an agent that asks, in the default mode and in plan mode", () => {
  assertAsksForApproval(manifestOf("scripted"), defaultStart);
  assertAsksForApproval(manifestOf("scripted"), { ...defaultStart, mode: "plan" });
});

test("rejects an agent that never asks", () => {
  expect(() => assertAsksForApproval(manifestOf("shell"), defaultStart)).toThrow(
    "Shell, which never asks for approval, requires",
  );
});

test.each(["accept-edits", "full-auto", "dangerously-skip-permissions"] as const)("rejects the mode %s", (mode) => {
  expect(() => assertAsksForApproval(manifestOf("scripted"), { ...defaultStart, mode })).toThrow(
    `the mode ${mode} requires`,
  );
});

test("accepts only settings that cannot extend what the agent may do", () => {
  const settings = { ...manifestWithFlags.settings.parse({}), model: "some", maxTurns: 3 };
  assertAsksForApproval(manifestWithFlags, { ...flagsStart, settings });
  for (const flagSettings of [{ model: "--yolo" }, { model: "-y" }, { systemPrompt: "--yolo" }]) {
    expect(() => assertAsksForApproval(manifestWithFlags, { ...flagsStart, settings: flagSettings })).toThrow(
      "that starts with a dash requires",
    );
  }
  const options = { "dangerously-anything": true };
  expect(() => assertAsksForApproval(manifestWithFlags, { ...flagsStart, settings: { options } })).toThrow(
    "the setting options",
  );
});

const manifestsWithFallback = adapters
  .map(({ manifest }) => manifest)
  .filter(({ capabilities, fallback }) => {
    return capabilities.includes("approvals") && fallback !== undefined && !fallback.capabilities.includes("approvals");
  });

test("rejects a program whose fallback protocol never asks, and accepts it with the main protocol", () => {
  expect(manifestsWithFallback.length).toBeGreaterThan(0);
  for (const manifest of manifestsWithFallback) {
    const start = (flags: readonly string[]) => () =>
      assertAsksForApproval(manifest, { ...defaultStart, probeResult: { version: null, flags: [...flags] } });
    expect(start(["--unrelated"]), manifest.id).toThrow("which never asks for approval, requires");
    expect(start(flagsOf(manifest)), manifest.id).not.toThrow();
  }
});
