import { adapters } from "@fairlead/adapters";
import { expect, test } from "vitest";
import { mustAsk } from "./must-ask.ts";

const manifestOf = (agent: string) => adapters.find(({ manifest }) => manifest.id === agent)!.manifest;
/** One that asks, and that takes flags of its own program. */
const flagged = adapters.find(
  ({ manifest: { capabilities, settings } }) =>
    capabilities.includes("approvals") && settings.safeParse({ model: "some", maxTurns: 3, options: {} }).success,
)!.manifest;
const plain = { mode: "default", settings: {} } as const;

test("an agent that asks may be begun as it is by itself, and to plan", () => {
  mustAsk(manifestOf("scripted"), plain);
  mustAsk(manifestOf("scripted"), { ...plain, mode: "plan" });
});

test("one that never asks may not", () => {
  expect(() => mustAsk(manifestOf("shell"), plain)).toThrow("Shell, which asks nobody, needs");
});

test.each(["accept-edits", "full-auto", "dangerously-skip-permissions"] as const)("nor any in the mode %s", (mode) => {
  expect(() => mustAsk(manifestOf("scripted"), { ...plain, mode })).toThrow(`the mode ${mode} needs`);
});

test("nor with settings of its own, but for those that let it do no more", () => {
  const settings = { ...flagged.settings.parse({}), model: "some", maxTurns: 3 };
  mustAsk(flagged, { ...plain, settings });
  for (const smuggled of [{ model: "--yolo" }, { model: "-y" }, { systemPrompt: "--yolo" }]) {
    expect(() => mustAsk(flagged, { ...plain, settings: smuggled })).toThrow("with a dash in front needs");
  }
  const options = { "dangerously-anything": true };
  expect(() => mustAsk(flagged, { ...plain, settings: { options } })).toThrow("the setting options");
});
