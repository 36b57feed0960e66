/**
 * Replaces the expected events of recordings by what their spools reduce to today: `node scripts/update-recordings.ts
 * [ID…]`. Use it after a change of the contract, and review the diff.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { adapters } from "@fairlead/adapters";
import { parseRecording, replayRecords, toJsonLines } from "@fairlead/conformance";

const requestedIds = process.argv.slice(2);
for (const adapter of adapters) {
  const { id } = adapter.manifest;
  if (requestedIds.length > 0 && !requestedIds.includes(id)) continue;
  const folder = new URL(`../packages/adapters/src/${id}/fixtures/`, import.meta.url).pathname;
  for (const file of globSync(`${folder}*.spool.jsonl`)) {
    const outputs = replayRecords(adapter, parseRecording(readFileSync(file, "utf8")));
    writeFileSync(file.replace(/\.spool\.jsonl$/, ".events.jsonl"), toJsonLines(outputs));
  }
}
