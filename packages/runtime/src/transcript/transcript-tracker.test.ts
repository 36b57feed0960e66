import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Adapter, Opening, TranscriptFingerprint } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { initialSessionState } from "@fairlead/reducer";
import { eventsUntil, TestHome } from "@fairlead/testing/runtime/test-home.ts";
import { afterAll, expect, test } from "vitest";
import { isSafeAgentSessionId } from "./locate-transcript.ts";
import { fingerprintTranscript } from "./transcript-tracker.ts";

const folder = mkdtempSync(join(tmpdir(), "fl-transcript-"));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);
const adapter = { transcriptPath: (_opening: Opening, id: string) => at(id) } as unknown as Adapter;
const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

async function fingerprint(
  agentSessionId: string,
  transcript: TranscriptFingerprint | null = null,
  maxBytes?: number,
): Promise<TranscriptFingerprint | null> {
  const state = { ...initialSessionState, opening: {} as Opening, agentSessionId, transcript };
  return await fingerprintTranscript(adapter, state, {}, maxBytes);
}

/** Creates a pipe with a writer, so that a read of it would end instead of blocking the test. */
async function createPipe(path: string): Promise<AsyncDisposable> {
  execFileSync("mkfifo", [path]);
  const writer = spawn("sh", ["-c", 'while echo line > "$0"; do :; done', path], { stdio: "ignore" });
  // The writer also exits by itself, if its reader closes the pipe while it writes.
  const exited = once(writer, "exit");
  await once(writer, "spawn");
  return { [Symbol.asyncDispose]: async () => void (writer.kill("SIGKILL"), await exited) };
}

test("digests a transcript in one pass and sees whether it only grew", async () => {
  const text = "line\n".repeat(200_000); // more than one chunk
  writeFileSync(at("grows"), text);
  const first = await fingerprint("grows");
  expect(first).toEqual({ bytes: text.length, digest: digestOf(text), extends: true });
  writeFileSync(at("grows"), `${text}more`);
  const second = { bytes: text.length + 4, digest: digestOf(`${text}more`), extends: true };
  await expect(fingerprint("grows", first)).resolves.toEqual(second);
  writeFileSync(at("grows"), `other${text}`);
  await expect(fingerprint("grows", first)).resolves.toMatchObject({ extends: false });
  truncateSync(at("grows"), 10);
  await expect(fingerprint("grows", first)).resolves.toMatchObject({ bytes: 10, extends: false });
  const empty = { bytes: 0, digest: digestOf(""), extends: true };
  await expect(fingerprint("grows", empty)).resolves.toMatchObject({ extends: true });
});

test("reads neither a pipe, nor a link, nor a folder, nor a file above the limit", async () => {
  await using _pipe = await createPipe(at("pipe"));
  symlinkSync("/dev/zero", at("link"));
  mkdirSync(at("folder"));
  writeFileSync(at("large"), "123456");
  await expect(fingerprint("pipe")).resolves.toBeNull();
  await expect(fingerprint("link")).resolves.toBeNull();
  await expect(fingerprint("folder")).resolves.toBeNull();
  await expect(fingerprint("missing")).resolves.toBeNull();
  await expect(fingerprint("large", null, 5)).resolves.toBeNull();
  await expect(fingerprint("large", null, 6)).resolves.toMatchObject({ bytes: 6 });
});

test("does not follow a session id out of the transcript folder", async () => {
  writeFileSync(at("outside"), "secret");
  await expect(fingerprint(`x/../outside`)).resolves.toBeNull();
  const unsafeIds = ["", ".", "..", "a/b", "../a", "a\\b", "a\0b", "a\nb", "-p", "--resume", "x".repeat(201)];
  expect(unsafeIds.filter(isSafeAgentSessionId)).toEqual([]);
  const safeIds = ["0b9d4a52-6a2b-4a0e-9d0c-2f5ad3e9ab11", "T-0b9d", "ses_e2263", "20250101_1", "agent:main", "a..b"];
  expect(safeIds.filter((id) => !isSafeAgentSessionId(id))).toEqual([]);
});

test("a session whose agent put a pipe where its transcript was can be paused and resumed", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const session = await runtime.start({ agent: "scripted", workspace: testHome.folder });
  await session.send(withScript("Say.", [{ text: "One." }]));
  await eventsUntil(session, "turn.ended");
  const transcript = join(testHome.folder, "fairlead-scripted", `${session.state.agentSessionId}.jsonl`);
  rmSync(transcript);
  await using _pipe = await createPipe(transcript);
  await session.pause();
  await eventsUntil(session, "session.paused");
  expect(session.state.transcript).toBeNull();
  await session.finished; // the keeper of a paused session leaves
  const attached = await runtime.attach(session.id);
  await attached.end();
  await eventsUntil(attached, "session.ended");
  expect(attached.state.transcript).toBeNull();
});
