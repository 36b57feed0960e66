// A second process for the journal's tests. It appends or claims, and prints each acknowledged sequence or epoch on a
// line. Once it has opened the log it prints 0 and waits for input.
import { once } from "node:events";
import { FairleadError } from "@fairlead/contract";
import { TestWriter } from "../../../journal/src/conformance/test-writer.ts";
import { openSqliteLog } from "../../../journal/src/sqlite/open-sqlite-log.ts";

const [mode, file = "", session = "", times = "Infinity"] = process.argv.slice(2);
const owner = `process ${process.pid}`;
await using journal = await openSqliteLog({ file });
console.log(0);
await once(process.stdin, "data");
process.stdin.destroy();

if (mode === "append") await appendUntilFenced();
else for (let n = 0; n < Number(times); n++) console.log((await journal.claim(session, owner)).epoch);

async function appendUntilFenced(): Promise<void> {
  const writer = await TestWriter.claim(journal, session, owner);
  try {
    for (let n = 0; n < Number(times); n++) {
      // Batches of one, two and three events, so that the tests would notice a partial batch.
      await writer.append(...Array.from({ length: 1 + (n % 3) }, (_, index) => `${writer.last + index + 1}`));
      console.log(writer.last);
    }
  } catch (error) {
    // If it cannot write, the process kills itself and leaves the files unchanged.
    if (FairleadError.is(error, "unavailable")) process.kill(process.pid, "SIGKILL");
    if (!FairleadError.is(error, "fenced")) throw error;
  }
}
