// The reading process of the claim: reads every session once and prints events per second.
import { DatabaseSync } from "node:sqlite";
import { openSqliteLog } from "@fairlead/journal";

const [readMethod, file = "", events] = process.argv.slice(2);
const startedAt = performance.now();
const count = readMethod === "port" ? await readThroughPort() : readBare();
const elapsed = (performance.now() - startedAt) / 1000;
if (count !== Number(events)) throw new Error(`There should be ${events} events, and ${count} were read`);
console.log(count / elapsed);

async function readThroughPort(): Promise<number> {
  let read = 0;
  await using journal = await openSqliteLog({ file });
  for await (const { session } of journal.sessions()) {
    for await (const batch of journal.read(session, 0)) read += batch.events.length;
  }
  return read;
}

function readBare(): number {
  let read = 0;
  using database = new DatabaseSync(file, { readOnly: true });
  const select = database.prepare("SELECT first, count, data FROM frames WHERE session = ? ORDER BY last, epoch");
  for (const { session } of database.prepare("SELECT session FROM heads").all()) {
    for (const { count } of select.iterate(String(session))) read += Number(count);
  }
  return read;
}
