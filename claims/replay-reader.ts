// The other process of the claim: reads every session once, and prints how many events a second that were.
import { DatabaseSync } from "node:sqlite";
import { openSqliteLog } from "@fairlead/journal";

const [way, file = "", events] = process.argv.slice(2);
const began = performance.now();
const count = way === "port" ? await throughThePort() : bare();
const took = (performance.now() - began) / 1000;
if (count !== Number(events)) throw new Error(`There should be ${events} events, and ${count} were read`);
console.log(count / took);

async function throughThePort(): Promise<number> {
  let read = 0;
  await using journal = await openSqliteLog({ file });
  for await (const { session } of journal.sessions()) {
    for await (const frame of journal.read(session, 0)) read += frame.events.length;
  }
  return read;
}

function bare(): number {
  let read = 0;
  using database = new DatabaseSync(file, { readOnly: true });
  const select = database.prepare("SELECT first, count, data FROM frames WHERE session = ? ORDER BY last, epoch");
  for (const { session } of database.prepare("SELECT session FROM heads").all()) {
    for (const { count } of select.iterate(String(session))) read += Number(count);
  }
  return read;
}
