import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Exit, LaunchCommand, SpoolRecord } from "@fairlead/contract";
import { readProcessIdentity } from "../../../keeper/src/process/process-identity.ts";
import { spoolFolder } from "../../../keeper/src/session-folder.ts";
import { SpoolReader } from "../../../keeper/src/spool/spool-reader.ts";

/** A temporary session folder, with queries for its spool. */
export class TestSessionFolder {
  folder = mkdtempSync(join(tmpdir(), "keeper-"));

  get spool(): string {
    return spoolFolder(this.folder);
  }

  records(): SpoolRecord[] {
    return readAllRecords(new SpoolReader(this.spool));
  }

  /** The payloads of all records of a kind, concatenated. */
  text(kind: SpoolRecord["kind"], process?: number): string {
    const records = this.records().filter(
      (record) => record.kind === kind && (process === undefined || record.process === process),
    );
    return Buffer.concat(records.map(({ bytes }) => bytes)).toString();
  }

  /** Waits for the exit record of a process. */
  exit(process: number): Promise<Exit> {
    return until(() => {
      const text = this.text("exit", process);
      return text === "" ? undefined : (JSON.parse(text) as Exit);
    });
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function readAllRecords(reader: SpoolReader): SpoolRecord[] {
  const records: SpoolRecord[] = [];
  for (let batch = reader.read(); batch.length > 0; batch = reader.read()) records.push(...batch);
  return records;
}

/** Polls until a probe returns a value other than undefined and false. */
export async function until<T>(probe: () => T | undefined | false, timeoutMs = 10_000): Promise<T> {
  for (const deadline = performance.now() + timeoutMs; performance.now() < deadline;) {
    const value = probe();
    if (value !== undefined && value !== false) return value;
    await delay(5);
  }
  throw new Error(`The condition was not met within ${timeoutMs} ms: ${probe.toString()}`);
}

export function shellCommand(script: string, overrides: Partial<LaunchCommand> = {}): LaunchCommand {
  const env = { PATH: process.env["PATH"] ?? "" };
  return { program: "sh", args: ["-c", script], cwd: tmpdir(), stdin: "pipe", env, ...overrides };
}

/**
 * Finds processes by a word in their command line, which they keep in any session or group. Omits this one and zombies.
 */
export function findProcessesByWord(word: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter(
      (pid) =>
        pid > 0 && pid !== process.pid && readCommandLine(pid).includes(word) && readProcessIdentity(pid) !== null,
    );
}

function readCommandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
