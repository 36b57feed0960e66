/**
 * Installs the Restate server for tests, at its pinned version: `node scripts/install-restate.ts`. `npm run agents` does it too.
 * It installs the package of one platform: `@restatedev/restate-server` installs a package that reports installations.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { restateFolder, restatePackage } from "@fairlead/testing/foreman/restate-server.ts";
import { runQuietly } from "./run.ts";

const version = "1.7.12";

if (process.platform !== "linux" || process.arch !== "x64") {
  console.log(`restate ${version} not installed: tests use it on linux-x64 only`);
} else if (readInstalledVersion() === version) {
  console.log(`restate ${version} already installed`);
} else {
  mkdirSync(restateFolder, { recursive: true });
  writeFileSync(`${restateFolder}package.json`, `${JSON.stringify({ name: "restate", private: true })}\n`);
  const options = ["--prefix", restateFolder, "--no-audit", "--no-fund", "--save-exact", "--ignore-scripts"];
  const { code, output } = await runQuietly("npm", ["install", ...options, `${restatePackage}@${version}`]);
  if (code !== 0) throw new Error(output);
  console.log(`restate ${version} installed`);
}

function readInstalledVersion(): string | undefined {
  try {
    const manifest = readFileSync(`${restateFolder}node_modules/${restatePackage}/package.json`, "utf8");
    return (JSON.parse(manifest) as { version: string }).version;
  } catch {
    return undefined;
  }
}
