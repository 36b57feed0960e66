import { adapters, unverifiedAdapters } from "@fairlead/adapters";
import { expect, test } from "vitest";
import { buildChildEnvironment } from "../packages/runtime/src/host/child-environment.ts";

const amazon = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_BEARER_TOKEN_BEDROCK"];
const vertex = ["GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT"];
/** Secrets of a user's own programs, and of channels of OpenClaw. No model needs them. */
const others = ["GOOGLE_CLIENT_SECRET", "GOOGLE_MAPS_API_KEY", "GOOGLE_MEET_REFRESH_TOKEN"];
const variables = [...amazon, ...vertex, "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", ...others];

/**
 * The variables of two clouds that an agent gets, because its program can use a model there. Seen in the programs: Claude
 * Code 2.1.325 and opencode 1.18.33 have Bedrock and Vertex AI, Codex 0.166.0 has Bedrock, OpenClaw has Vertex AI.
 */
const expected: Readonly<Record<string, readonly string[]>> = {
  "claude-code": [...amazon, ...vertex],
  codex: amazon,
  "codex-exec": amazon,
  "gemini-cli": [...vertex, "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", ...others],
  goose: ["GOOGLE_API_KEY"],
  openclaw: [...vertex, "GOOGLE_API_KEY"],
  opencode: [...amazon, ...vertex, "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
};

test.each([...adapters, ...unverifiedAdapters].map(({ manifest }) => [manifest.id, manifest] as const))(
  "%s gets the variables of clouds whose models it can use, and no others",
  (id, manifest) => {
    const all = Object.fromEntries(variables.map((name) => [name, "value"]));
    const passed = Object.keys(buildChildEnvironment(all, manifest.environment, {}));
    expect(passed.filter((name) => variables.includes(name))).toEqual(expected[id] ?? []);
  },
);

test("the table names only agents that exist", () => {
  const ids = [...adapters, ...unverifiedAdapters].map(({ manifest }) => manifest.id);
  expect(Object.keys(expected).filter((id) => !ids.includes(id))).toEqual([]);
});
