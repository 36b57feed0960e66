// Another process for the tests: it appends or claims, and says on its output what was acknowledged, a line each. As soon
// as it has opened the log it says 0, and waits for a word on its input.
import { once } from "node:events";
import { FairleadError } from "@fairlead/contract";
import { Author } from "../../conformance/author.ts";
import { openSqliteLog } from "../open-sqlite-log.ts";

const [mode, file = "", session = "", times = "Infinity"] = process.argv.slice(2);
const owner = `process ${process.pid}`;
await using journal = await openSqliteLog({ file });
console.log(0);
await once(process.stdin, "data");
process.stdin.destroy();

if (mode === "append") await appendUntilFenced();
else for (let n = 0; n < Number(times); n++) console.log((await journal.claim(session, owner)).epoch);

async function appendUntilFenced(): Promise<void> {
  const author = await Author.claim(journal, session, owner);
  try {
    for (let n = 0; n < Number(times); n++) {
      // Frames of one, two and three events, so that a frame torn apart would show.
      await author.append(...Array.from({ length: 1 + (n % 3) }, (_, index) => `${author.last + index + 1}`));
      console.log(author.last);
    }
  } catch (error) {
    // Whoever cannot write dies on the spot, and leaves the files as they are.
    if (FairleadError.is(error, "unavailable")) process.kill(process.pid, "SIGKILL");
    if (!FairleadError.is(error, "fenced")) throw error;
  }
}
