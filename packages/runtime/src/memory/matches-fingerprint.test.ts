import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Adapter, Opening } from "@fairlead/contract";
import { initialSessionState } from "@fairlead/reducer";
import { CountingObjects } from "@fairlead/testing/runtime/counting-objects.ts";
import { expect, test } from "vitest";
import { fingerprintTranscript } from "../transcript/transcript-tracker.ts";
import { locateMemory } from "./locate-memory.ts";
import { matchesFingerprint } from "./matches-fingerprint.ts";
import { restoreMemory } from "./restore-memory.ts";
import { saveMemory } from "./save-memory.ts";

const adapter = {
  transcriptPath: (_opening: Opening, id: string, { ROOT }: { ROOT?: string }) => `${ROOT}/${id}.jsonl`,
  memory: (_opening: Opening, id: string, { ROOT = "" }: { ROOT?: string }) => ({
    root: ROOT,
    folder: "",
    files: [{ folder: "", name: `${id}.jsonl` }],
  }),
} as unknown as Adapter;
const state = { ...initialSessionState, opening: {} as Opening, agentSessionId: "id" };

test("a restored transcript matches the fingerprint of the session, unless other text was stored", async () => {
  const folder = mkdtempSync(join(tmpdir(), "fl-matches-"));
  const here = { ROOT: join(folder, "here") };
  const there = { ROOT: join(folder, "there") };
  const objects = new CountingObjects();
  const move = async (text: string): Promise<void> => {
    writeFileSync(join(folder, "here", "id.jsonl"), text);
    const stored = await saveMemory({
      objects,
      session: "s",
      memory: locateMemory(adapter, state, here)!,
      before: null,
      epoch: 1,
      present: new Set(),
    });
    await restoreMemory({ objects, session: "s", memory: locateMemory(adapter, state, there)!, stored });
  };
  mkdirSync(join(folder, "here"));
  await move("one\n");
  const transcript = await fingerprintTranscript(adapter, state, here);
  const paused = { ...state, transcript };
  expect(transcript).not.toBeNull();
  await expect(matchesFingerprint(adapter, state, there)).resolves.toBe(true);
  await expect(matchesFingerprint(adapter, paused, there)).resolves.toBe(true);
  await move("one\ntwo\n");
  await expect(matchesFingerprint(adapter, paused, there)).resolves.toBe(true);
  await move("other\n");
  await expect(matchesFingerprint(adapter, paused, there)).resolves.toBe(false);
  rmSync(there.ROOT, { recursive: true });
  await expect(matchesFingerprint(adapter, paused, there)).resolves.toBe(false);
  rmSync(folder, { recursive: true });
});

test("an agent without files, and an id that leads elsewhere, have no memory", () => {
  expect(locateMemory({} as Adapter, state, {})).toBeNull();
  for (const agentSessionId of [null, "../x", "a/b", ""])
    expect(locateMemory(adapter, { ...state, agentSessionId }, { ROOT: "/r" })).toBeNull();
  expect(locateMemory(adapter, { ...state, opening: null }, {})).toBeNull();
});
