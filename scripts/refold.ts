/** Gives recordings the events that their spools give today: `node scripts/refold.ts [ID…]`. For changes of the contract; look at the diff. */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { adapters } from "@fairlead/adapters";
import { fromRecording, toldOf, toLines } from "@fairlead/conformance";

const wanted = process.argv.slice(2);
for (const adapter of adapters) {
  const { id } = adapter.manifest;
  if (wanted.length > 0 && !wanted.includes(id)) continue;
  const folder = new URL(`../packages/adapters/src/${id}/fixtures/`, import.meta.url).pathname;
  for (const file of globSync(`${folder}*.spool.jsonl`)) {
    const told = toldOf(adapter, fromRecording(readFileSync(file, "utf8")));
    writeFileSync(file.replace(/\.spool\.jsonl$/, ".events.jsonl"), toLines(told));
  }
}
