import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { Fairlead } from "@fairlead/api";
import type { Proof } from "../../measure/claim.ts";
import { TestHome } from "../../measure/test-home.ts";
import { DaemonProcess } from "../daemon/daemon-process.ts";
import { describeMachine, MemorySampler, readMemory } from "../daemon/machine.ts";
import { readSize } from "../daemon/size.ts";

const mebibyte = 1_048_576;
const size = readSize("text", 200) * mebibyte;
const bounds = { memory: 60, written: 2.5 };
/** With its line end, a power of two, so that the text is a whole number of lines. */
const line = "0123456789abcdef".repeat(64).slice(1);

/** What a long text of an agent costs the daemon. */
export interface TextCost {
  /** Peak memory of the daemon above its memory before, in MB. */
  readonly memory: number;
  /** Bytes that the daemon wrote, to files and sockets, in proportion to the text. */
  readonly written: number;
  /** Bytes that it caused to be sent to the disk, in proportion to the text. */
  readonly stored: number;
  readonly parts: number;
  readonly isWhole: boolean;
  readonly seconds: number;
}

export const textBound = `${size / mebibyte} MiB of text: daemon + ${bounds.memory} MB, bytes written by the daemon ≤ ${bounds.written} × text, and the journal has the whole text`;

/** Proves that the daemon neither holds a long text nor writes it often. */
export async function proveText(): Promise<Proof> {
  const { memory, written, stored, parts, isWhole, seconds } = await measureText();
  return {
    measured:
      `${size / mebibyte} MiB of text in ${seconds.toFixed(0)} s: ${parts} parts, ${isWhole ? "whole" : "not whole"}, daemon + ${memory.toFixed(0)} MB, ` +
      `written ${written.toFixed(2)} × text (to the disk ${stored.toFixed(2)} ×); ${describeMachine()}`,
    holds: isWhole && memory <= bounds.memory && written <= bounds.written,
  };
}

/** Has a real daemon record a command that writes the text, while no client reads. */
export async function measureText(): Promise<TextCost> {
  await using testHome = new TestHome();
  await using daemon = await DaemonProcess.start(testHome);
  const fairlead = daemon.connect();
  const { session } = await fairlead.start({
    agent: "shell",
    workspace: testHome.workspace(),
    settings: { timeout: 3_600_000 },
  });
  // The first texts also load and compile code.
  await runCommand(fairlead, session, 16 * mebibyte);
  const memoryBefore = readMemory(daemon.pid);
  const before = readWritten(daemon.pid);
  const began = performance.now();
  using sampler = new MemorySampler(daemon.pid);
  const turn = await runCommand(fairlead, session, size);
  const seconds = (performance.now() - began) / 1000;
  const after = readWritten(daemon.pid);
  const memory = ((sampler.peak - memoryBefore) * mebibyte) / 1e6;
  const { parts, isWhole } = await readText(fairlead, session, turn);
  return {
    memory,
    written: (after.all - before.all) / size,
    stored: (after.disk - before.disk) / size,
    parts,
    isWhole,
    seconds,
  };
}

/** Runs a command that writes a text of this length, and waits for the end of its turn. */
async function runCommand(fairlead: Fairlead, session: string, length: number): Promise<string> {
  const { last } = await fairlead.session(session);
  const { turn } = await fairlead.send(session, `yes ${line} | head -c ${length}`);
  // A client that followed the session would be sent the text, which is not what is measured.
  for (;;) {
    const { state, last: now } = await fairlead.session(session);
    if (state === "idle" && now > last + 2) return turn;
    await wait(100);
  }
}

async function readText(
  fairlead: Fairlead,
  session: string,
  turn: string,
): Promise<Pick<TextCost, "parts" | "isWhole">> {
  let [parts, length, isLast, isExpected] = [0, 0, false, true];
  const repeated = `${line}\n`.repeat(1025);
  for await (const event of fairlead.events(session)) {
    if (!("body" in event) || event.turn !== turn || event.body.type !== "text.ended") continue;
    const { text, part, last } = event.body;
    parts += 1;
    const offset = length % (line.length + 1);
    isExpected &&= part === parts && repeated.slice(offset, offset + text.length) === text;
    length += text.length;
    isLast = last === true;
  }
  return { parts, isWhole: isExpected && isLast && length === size };
}

function readWritten(pid: number): { readonly all: number; readonly disk: number } {
  const io = readFileSync(`/proc/${pid}/io`, "utf8");
  const read = (name: string): number => Number(new RegExp(`^${name}: (\\d+)`, "m").exec(io)?.[1]);
  return { all: read("wchar"), disk: read("write_bytes") };
}
