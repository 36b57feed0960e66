import { adapters } from "@fairlead/adapters";
import type { Adapter, Event, SpoolRecord } from "@fairlead/contract";
import { readRecordings, replayRecords } from "@fairlead/conformance";
import { defineDialect } from "@fairlead/kit";
import { describe, expect, test } from "vitest";
import { TranscriptRenderer } from "../packages/cli/src/render/transcript-renderer.ts";
import { UpdateTranslator } from "../packages/server/src/acp/update-translator.ts";
import { messagesForEvent } from "../packages/server/src/shim/events/messages-for-event.ts";
import { initialShimState, reduceShimState } from "../packages/server/src/shim/events/shim-state.ts";
import { SessionProjection } from "../packages/runtime/src/projection/session-projection.ts";

// An object that is keyed by what an agent says must be read with `ownValue` or be a Map. A plain `record[id]` finds
// inherited members: an agent that names its call `constructor` would get a function. This test gives every object one
// more inherited member, lets the agent use its name wherever a recording has a text, a number or a key, and records
// who reads it.

const canary = "inheritedCanary";
const adaptersFolder = new URL("../packages/adapters/src/", import.meta.url);

/** Runs a function and returns where it read or wrote the inherited member. */
function findInheritedAccess(run: () => void): string[] {
  const places = new Set<string>();
  const note = (): void => {
    // The second frame is the code that accessed the member. Libraries copy unknown keys, which is harmless.
    const frame = new Error("canary").stack?.split("\n")[2]?.trim() ?? "unknown";
    if (!frame.includes("node_modules")) places.add(frame);
  };
  // oxlint-disable-next-line no-extend-native
  Object.defineProperty(Object.prototype, canary, { configurable: true, get: note, set: note });
  try {
    run();
  } finally {
    delete (Object.prototype as Record<string, unknown>)[canary];
  }
  return [...places];
}

/** Lists the places of a JSON value that can carry a word of the agent. */
function listPlaces(value: unknown, path = ""): string[] {
  if (typeof value === "string" || typeof value === "number") return [path];
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => listPlaces(item, `${path}[]`));
  // A key of a text or a number is a field of a message. A key of an object may be a name, such as that of a model.
  return Object.entries(value).flatMap(([key, item]) => [
    ...(typeof item === "object" ? [`${path}.${key} (key)`] : []),
    ...listPlaces(item, `${path}.${key}`),
  ]);
}

/** Replaces the text, number or key at a place by the canary. */
function plant(value: unknown, place: string, path = ""): unknown {
  if (typeof value !== "object" || value === null) return path === place ? canary : value;
  if (Array.isArray(value)) return value.map((item) => plant(item, place, `${path}[]`));
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [
    `${path}.${key} (key)` === place ? canary : key,
    plant(item, place, `${path}.${key}`),
  ]);
  return Object.fromEntries(entries);
}

const parse = (line: string): unknown => {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
};

/** Rewrites every JSON line of the agent. */
function rewriteOutput(records: readonly SpoolRecord[], rewrite: (value: unknown) => unknown): SpoolRecord[] {
  return records.map((record) => {
    if (record.kind !== "out" && record.kind !== "err") return record;
    const lines = Buffer.from(record.bytes).toString("utf8").split("\n");
    const rewritten = lines.map((line) => {
      const value = parse(line);
      return value === undefined ? line : JSON.stringify(rewrite(value));
    });
    return { ...record, bytes: Buffer.from(rewritten.join("\n")) };
  });
}

/** Replays the records, and passes the events to the code that keeps state by call, decision, model or file name. */
function readEverywhere(adapter: Adapter, records: readonly SpoolRecord[]): void {
  const projection = new SessionProjection();
  const translator = new UpdateTranslator("/w");
  const renderer = new TranscriptRenderer();
  let shimState = initialShimState;
  let sequence = 0;
  for (const output of replayRecords(adapter, records)) {
    const item = "body" in output ? ({ ...output, sequence: (sequence += 1), epoch: 1 } satisfies Event) : output;
    translator.translate(item);
    renderer.render(item);
    if (!("body" in item)) continue;
    projection.add(item);
    messagesForEvent(shimState, item, { agentId: "a", workstream: "w" });
    shimState = reduceShimState(shimState, item);
  }
}

describe.each(adapters.map((adapter) => [adapter.manifest.id, adapter] as const))("%s", (id, adapter) => {
  test("looks nothing up by the agent's words that it did not store itself", { timeout: 120_000 }, () => {
    const tried = new Set<string>();
    const found = new Set<string>();
    for (const { records } of readRecordings(new URL(`${id}/fixtures/`, adaptersFolder))) {
      const places = new Set<string>();
      rewriteOutput(records, (value) => {
        for (const place of listPlaces(value)) places.add(place);
        return value;
      });
      for (const place of places) {
        if (tried.has(place)) continue;
        tried.add(place);
        const planted = rewriteOutput(records, (value) => plant(value, place));
        for (const access of findInheritedAccess(() => readEverywhere(adapter, planted)))
          found.add(`${access} for ${place}`);
      }
    }
    // These two do not write one JSON value per line, and no word of their output is a key.
    if (id !== "shell" && id !== "openclaw") expect(tried.size).toBeGreaterThan(20);
    expect([...found]).toEqual([]);
  });
});

test("a dialect that looks up the agent's words in a plain object is found", () => {
  const dialect = defineDialect<{ calls: Readonly<Record<string, string>> }>({
    initialState: { calls: {} },
    handle: () => {},
    observe(writer, observation) {
      const id = observation.kind === "line" ? String((parse(observation.text) as { id: unknown }).id) : "";
      if (writer.state.calls[id] === undefined) writer.set({ calls: { ...writer.state.calls, [id]: "known" } });
    },
  });
  const run = (id: string): void =>
    void dialect.observe(dialect.initialState, { kind: "line", stream: "out", text: `{"id":"${id}"}` });
  expect(findInheritedAccess(() => run("harmless"))).toEqual([]);
  expect(findInheritedAccess(() => run(canary))).toEqual([expect.stringContaining("own-keys.test.ts")]);
});
