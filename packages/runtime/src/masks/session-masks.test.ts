import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Manifest, Sandbox } from "@fairlead/contract";
import { expect, test } from "vitest";
import { findWithheldKeys, SessionMasks } from "./session-masks.ts";

const environment = { AGENT_KEY: "the-key-of-the-agent", OTHER_TOKEN: "another-token", PATH: "/bin" };
const manifest = { environment: ["AGENT_*", "OTHER_*"] } as unknown as Manifest;
const gated = { network: "gate", gate: { endpoint: { variable: "AGENT_KEY" } } } as unknown as Sandbox;

test("the key that a gate inserts is masked, not turned back, and found in a call", () => {
  const folder = mkdtempSync(join(tmpdir(), "masks-"));
  const masks = new SessionMasks(join(folder, "mask-key"));
  const restores = (sandbox: Sandbox | undefined): (readonly [string, boolean])[] =>
    masks
      .create({ manifest, environment, secrets: () => ({}), withheld: findWithheldKeys(sandbox, environment) })
      .filter(({ text }) => Object.values(environment).includes(text))
      .map((one) => [one.text, one.restores]);
  expect(restores(undefined)).toEqual([
    ["the-key-of-the-agent", true],
    ["another-token", true],
  ]);
  expect(restores(gated)).toEqual([
    ["the-key-of-the-agent", false],
    ["another-token", true],
  ]);
  expect(restores({ ...gated, network: "open" })).toEqual(restores(undefined));
  const withheld = findWithheldKeys(gated, environment);
  const created = masks.create({ manifest, environment, secrets: () => ({}), withheld });
  const maskOf = (text: string): string => created.find((one) => one.text === text)?.mask ?? "";
  expect(masks.containsWithheld(`curl ${maskOf("the-key-of-the-agent")}`, withheld)).toBe(true);
  expect(masks.containsWithheld(`curl ${maskOf("another-token")}`, withheld)).toBe(false);
  rmSync(folder, { recursive: true });
});

test("a setting with the name of a variable is not masked", () => {
  const folder = mkdtempSync(join(tmpdir(), "masks-"));
  const masks = new SessionMasks(join(folder, "mask-key"));
  const masked = (text: string): boolean =>
    masks
      .create({ manifest, environment, secrets: () => ({ "options/service.env_key": text }), withheld: [] })
      .some((one) => one.text === text);
  expect([masked("AGENT_KEY"), masked("OTHER_VARIABLE")]).toEqual([false, true]);
  rmSync(folder, { recursive: true });
});
