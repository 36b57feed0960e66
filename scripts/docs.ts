/**
 * Writes every generated page and table of the documents from the code: `node scripts/docs.ts`. A test compares them, and
 * `node scripts/docs/check.ts` checks the rest of the documents.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isSamePage, renderPages } from "./docs/generated-pages.ts";
import { writeOpenApi } from "./openapi.ts";
import { root } from "./run.ts";

if (import.meta.main) {
  for (const { page, text } of renderPages()) {
    const path = join(root, page);
    if (existsSync(path) && isSamePage(readFileSync(path, "utf8"), text)) continue;
    writeFileSync(path, text);
    console.log(`Wrote ${page}`);
  }
  process.exitCode = await writeOpenApi({ isBreakingAllowed: false });
}
