import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Exit, LaunchLine, SpoolRecord } from "@fairlead/contract";
import { identity } from "./process-identity.ts";
import { spoolFolder } from "./session-folder.ts";
import { SpoolReader } from "./spool-reader.ts";

/** A session's folder for a test, and what a test asks of its spool. */
export class SessionForTest {
  folder = mkdtempSync(join(tmpdir(), "keeper-"));

  get spool(): string {
    return spoolFolder(this.folder);
  }

  records(): SpoolRecord[] {
    return readAll(new SpoolReader(this.spool));
  }

  text(kind: SpoolRecord["kind"], process?: number): string {
    const wanted = this.records().filter((it) => it.kind === kind && (process === undefined || it.process === process));
    return Buffer.concat(wanted.map((it) => it.bytes)).toString();
  }

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

export function readAll(reader: SpoolReader): SpoolRecord[] {
  const records: SpoolRecord[] = [];
  for (let batch = reader.read(); batch.length > 0; batch = reader.read()) records.push(...batch);
  return records;
}

/** Waits for a fact. */
export async function until<T>(look: () => T | undefined | false, patience = 10_000): Promise<T> {
  for (const deadline = performance.now() + patience; performance.now() < deadline;) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    await delay(5);
  }
  throw new Error(`It did not come about within ${patience} ms: ${look.toString()}`);
}

export function shell(script: string, line: Partial<LaunchLine> = {}): LaunchLine {
  const env = { PATH: process.env["PATH"] ?? "" };
  return { program: "sh", args: ["-c", script], cwd: tmpdir(), stdin: "pipe", env, ...line };
}

/** The processes, our own and zombies apart, that have a word in their command line: wherever they went, they keep it. */
export function processesWith(word: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && commandLine(pid).includes(word) && identity(pid) !== null);
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
