/** Exports a generated session of this many calls, and prints the most memory that it held, in bytes, after collections. */
import { exportMarkdown } from "@fairlead/contract";
import { createLongSession } from "./generated-session.ts";

const calls = Number(process.argv[2]);
const gc = globalThis.gc;
if (gc === undefined) throw new Error("This program needs --expose-gc.");
const readEvents = async function* () {
  yield* createLongSession(calls, 20_000);
};
let [chunks, characters, most] = [0, 0, 0];
for await (const chunk of exportMarkdown(readEvents)) {
  characters += chunk.length;
  if (chunks++ % 1000 !== 0) continue;
  gc();
  most = Math.max(most, process.memoryUsage().heapUsed);
}
console.log(JSON.stringify({ characters, most }));
