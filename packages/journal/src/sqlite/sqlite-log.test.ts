import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { journalConformance } from "../conformance.ts";
import type { Journal } from "../ownership.ts";
import { openSqliteLog } from "./open-sqlite-log.ts";

const folder = mkdtempSync(join(tmpdir(), "fairlead-journal-"));
afterAll(() => rmSync(folder, { recursive: true }));

const files = new WeakMap<Journal, string>();
let count = 0;

async function open(file = join(folder, `${++count}.db`)): Promise<Journal> {
  const journal = await openSqliteLog({ file });
  files.set(journal, file);
  return journal;
}

journalConformance(
  "sqlite",
  () => open(),
  (journal) => open(files.get(journal)),
);
