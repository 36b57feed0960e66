/**
 * Writes docs/build/openapi.json from the routes: `node scripts/openapi.ts`. A test compares them. If a change would break
 * clients of the current file, the script prints the change and writes nothing, unless `--breaking` is given.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findBreakingChanges, buildOpenApi, type OpenApiDocument } from "@fairlead/api";
import { openapiPage } from "./docs/generated-pages.ts";
import { root, run } from "./run.ts";

/** Writes the document if it changed. Returns the exit code: 1 if the change would break clients. */
export async function writeOpenApi({ isBreakingAllowed }: { readonly isBreakingAllowed: boolean }): Promise<number> {
  const path = join(root, openapiPage);
  const next = buildOpenApi();
  const current = JSON.parse(readFileSync(path, "utf8")) as OpenApiDocument;
  if (JSON.stringify(current) === JSON.stringify(next)) return 0;
  const changes = findBreakingChanges(current, next);
  for (const change of changes) console.log(change);
  if (changes.length > 0 && !isBreakingAllowed) return 1;
  writeFileSync(path, JSON.stringify(next, null, 2));
  return await run(join(root, "node_modules/.bin/oxfmt"), [path]);
}

if (import.meta.main) process.exitCode = await writeOpenApi({ isBreakingAllowed: process.argv.includes("--breaking") });
