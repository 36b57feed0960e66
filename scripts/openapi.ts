/**
 * Writes docs/openapi.json from the routes: `node scripts/openapi.ts`. A test fails when they differ. What would break
 * somebody who relies on the file as it stands is told, and not written unless `--breaking` says that it is meant.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { breakingChanges, openapi, type OpenApi } from "@fairlead/api";
import { root, run } from "./run.ts";

export const openapiPage = join(root, "docs/openapi.json");

if (import.meta.main) {
  const next = openapi();
  const changes = breakingChanges(JSON.parse(readFileSync(openapiPage, "utf8")) as OpenApi, next);
  for (const change of changes) console.log(change);
  if (changes.length > 0 && !process.argv.includes("--breaking")) process.exitCode = 1;
  else {
    writeFileSync(openapiPage, JSON.stringify(next, null, 2));
    await run(join(root, "node_modules/.bin/oxfmt"), [openapiPage]);
  }
}
