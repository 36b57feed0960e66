import { existsSync, readdirSync } from "node:fs";
import { adapters } from "@fairlead/adapters";
import { judgeRecordings } from "@fairlead/conformance/vitest";
import { stages } from "@fairlead/lab";
import { describe, expect, test } from "vitest";

const room = new URL("../packages/adapters/src/", import.meta.url);
/** What several agents speak; no agent by itself. */
const protocols = ["acp"];
const folders = readdirSync(room, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !protocols.includes(entry.name))
  .map((entry) => entry.name)
  .toSorted();

test("every folder is listed, and nothing else is", () => {
  expect(adapters.map((adapter) => adapter.manifest.id).toSorted()).toEqual(folders);
});

test("every adapter has a stage in the lab", () => {
  expect(Object.keys(stages).toSorted()).toEqual(folders);
});

describe.each(folders)("%s", (folder) => {
  test("has three files and its recordings, or is an entry of the protocol that it speaks", () => {
    const entries = readdirSync(new URL(`${folder}/`, room)).toSorted();
    const whole = ["adapter.ts", "dialect.ts", "fixtures", "wire.ts"];
    expect([whole, ["entry.ts", "fixtures"]]).toContainEqual(entries);
  });
});

for (const adapter of adapters) {
  const fixtures = new URL(`${adapter.manifest.id}/fixtures/`, room);
  if (existsSync(fixtures)) judgeRecordings(adapter, fixtures);
}
