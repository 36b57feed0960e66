/**
 * Writes docs/build/openapi.json from the routes: `node scripts/openapi.ts`. A test compares them. If a change would break
 * clients of the current file, the script prints the change and writes nothing, unless `--breaking` is given.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findBreakingChanges, buildOpenApi, type OpenApiDocument } from "@fairlead/api";
import { root, run } from "./run.ts";

export const openapiPage = join(root, "docs/build/openapi.json");

if (import.meta.main) {
  const next = buildOpenApi();
  const changes = findBreakingChanges(JSON.parse(readFileSync(openapiPage, "utf8")) as OpenApiDocument, next);
  for (const change of changes) console.log(change);
  if (changes.length > 0 && !process.argv.includes("--breaking")) process.exitCode = 1;
  else {
    writeFileSync(openapiPage, JSON.stringify(next, null, 2));
    await run(join(root, "node_modules/.bin/oxfmt"), [openapiPage]);
  }
}
