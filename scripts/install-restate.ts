/** Installs the Restate server for tests, at its pinned version: `node scripts/install-restate.ts`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { restateFolder, restatePackage } from "@fairlead/testing/foreman/restate-server.ts";
import { runQuietly } from "./run.ts";

/** The package of one platform only: `@restatedev/restate-server` installs a package that reports installations. */
const version = "1.7.12";

mkdirSync(restateFolder, { recursive: true });
writeFileSync(`${restateFolder}package.json`, `${JSON.stringify({ name: "restate", private: true })}\n`);
const options = ["--prefix", restateFolder, "--no-audit", "--no-fund", "--save-exact", "--ignore-scripts"];
const { code, output } = await runQuietly("npm", ["install", ...options, `${restatePackage}@${version}`]);
if (code !== 0) throw new Error(output);
console.log(`restate ${version} installed`);
