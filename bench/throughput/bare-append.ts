/** Appends the same bytes in commits of the same sizes to a bare database, one row per event: `node bare-append.ts`. */
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

export interface BareAppendOptions {
  readonly file: string;
  /** The sizes of the events of each commit. */
  readonly commits: readonly (readonly number[])[];
}

const { file, commits } = JSON.parse(readFileSync(0, "utf8")) as BareAppendOptions;
const database = new DatabaseSync(file);
database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
database.exec("CREATE TABLE events (number INTEGER PRIMARY KEY, data BLOB NOT NULL)");
const insert = database.prepare("INSERT INTO events (data) VALUES (?)");
const rows = commits.map((sizes) => sizes.map((size) => new Uint8Array(size).fill(0x61)));
const startedAt = performance.now();
for (const events of rows) {
  database.exec("BEGIN IMMEDIATE");
  for (const event of events) insert.run(event);
  database.exec("COMMIT");
}
console.log(String((performance.now() - startedAt) / 1000));
database.close();
