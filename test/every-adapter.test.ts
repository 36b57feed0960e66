import { existsSync, readdirSync } from "node:fs";
import { adapters } from "@fairlead/adapters";
import { judgeRecordings } from "@fairlead/conformance/vitest";
import { testBenches } from "@fairlead/lab";
import { describe, expect, test } from "vitest";

const adaptersFolder = new URL("../packages/adapters/src/", import.meta.url);
/** Folders of protocols that several agents use. They are not adapters. */
const protocols = ["acp"];
const folders = readdirSync(adaptersFolder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !protocols.includes(entry.name))
  .map((entry) => entry.name)
  .toSorted();

test("index.ts lists exactly the adapters that have a folder", () => {
  expect(adapters.map((adapter) => adapter.manifest.id).toSorted()).toEqual(folders);
});

test("every adapter has a test bench in the lab", () => {
  expect(Object.keys(testBenches).toSorted()).toEqual(folders);
});

describe.each(folders)("%s", (folder) => {
  test("has three files and its recordings, or is an entry of the protocol that it speaks", () => {
    const entries = readdirSync(new URL(`${folder}/`, adaptersFolder)).toSorted();
    const optionalParts = ["events.ts", "failure.ts", "items.ts", "messages.ts", "tools.ts", "usage.ts"];
    optionalParts.push(
      "actions.ts",
      "answer-usage.ts",
      "decision-prompt.ts",
      "decisions.ts",
      "every-call.ts",
      "host-tools.ts",
      "mcp-servers.ts",
      "needs.ts",
      "options.ts",
      "quota.ts",
      "terminal-usage.ts",
      "transcript.ts",
    );
    const required = entries.filter((entry) => !optionalParts.includes(entry) && !entry.endsWith(".test.ts"));
    const complete = ["adapter.ts", "dialect.ts", "fixtures", "wire.ts"];
    expect([complete, ["entry.ts", "fixtures"]]).toContainEqual(required);
  });
});

for (const adapter of adapters) {
  const fixtures = new URL(`${adapter.manifest.id}/fixtures/`, adaptersFolder);
  if (existsSync(fixtures)) judgeRecordings(adapter, fixtures);
}
