import { expect, test } from "vitest";
import { adapters, unverifiedAdapters } from "../index.ts";
import { defineAcpAdapter } from "./adapter.ts";
import { optionalSettings, type AcpAgentDefinition } from "./wire.ts";

const definition: AcpAgentDefinition = {
  id: "some",
  version: "0.1.0",
  vendor: "Some vendor",
  label: "Some",
  models: [],
  capabilities: [],
  modes: { default: null },
  environment: [],
  honors: [],
  probe: {
    program: "some",
    missingMessage: "It is not installed.",
    keyVariables: [],
    loginFiles: [],
    signInHint: null,
  },
  launch: () => ({ args: [] }),
};
const samples = { model: "m", systemPrompt: "Be brief.", maxTurns: 3, options: {} } as const;

test.each(optionalSettings)("accepts %s only if the definition honors it", (name) => {
  const setting = { [name]: samples[name] };
  expect(defineAcpAdapter({ ...definition, honors: [name] }).manifest.settings.safeParse(setting).success).toBe(true);
  expect(defineAcpAdapter(definition).manifest.settings.safeParse(setting).success).toBe(false);
});

test("accepts the retry deadline of every agent", () => {
  expect(defineAcpAdapter(definition).manifest.settings.parse({ retryDeadline: 5 })).toEqual({ retryDeadline: 5 });
});

test.each([
  ["gemini-cli", ["systemPrompt", "maxTurns"]],
  ["opencode", ["maxTurns"]],
  ["openai-api", []],
  ["goose", ["model", "systemPrompt", "maxTurns", "options"]],
] as const)("%s refuses the settings %j", (id, refused) => {
  const { settings } = [...adapters, ...unverifiedAdapters].find(({ manifest }) => manifest.id === id)!.manifest;
  const failing = optionalSettings.filter((name) => !settings.safeParse({ [name]: samples[name] }).success);
  expect(failing).toEqual(refused);
});

test("opens a spool with settings that the manifest refuses", () => {
  const probeResult = {
    installed: true,
    program: "some",
    version: "1",
    flags: [],
    auth: "none",
    problems: [],
  } as const;
  const conversation = defineAcpAdapter(definition).open({
    session: "s",
    name: null,
    agent: "some",
    adapterVersion: "0.1.0",
    workspace: "/workspace",
    mode: "default",
    settings: { ...samples, retryDeadline: 5 },
    probeResult: { ...probeResult, flags: [], problems: [] },
    continues: null,
  });
  expect(conversation.protocol).toBe("acp");
});
