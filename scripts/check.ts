/** Runs every check that a change must pass: `npm run check`. CI runs only this. `-- --quick` ends before the tests. */
import { mkdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { root, run } from "./run.ts";

const reports = join(root, ".tmp");
mkdirSync(reports, { recursive: true });
process.env["PATH"] = `${join(root, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`;

const reporters = (name: string): string[] => [
  "--reporter=default",
  "--reporter=json",
  `--outputFile.json=${join(reports, `${name}.json`)}`,
];

const steps: readonly (readonly [name: string, command: string, args: readonly string[]])[] = [
  ["format", "oxfmt", ["--check"]],
  ["lint", "oxlint", ["--type-aware"]],
  ["markdown", "markdownlint-cli2", []],
  ["types", "tsc", ["--noEmit"]],
  ["types of the page", "tsc", ["--noEmit", "--project", "packages/web"]],
  ["unused", "knip", []],
  ["build", "tsc", ["--build", "tsconfig.build.json"]],
  ["build of the page", "vite", ["build", "packages/web"]],
  ["nats", "node", ["scripts/install-nats.ts"]],
  ["fast tests", "vitest", ["run", "--project", "fast", ...reporters("fast")]],
  ["browser tests", "scripts/offline", ["vitest", "run", "--project", "browser", ...reporters("browser")]],
  ["packages outside", "node", ["scripts/prove-claims.ts", "packages-load"]],
  ["agents", "node", ["scripts/install-agents.ts"]],
  ["network tests", "scripts/offline", ["vitest", "run", "--project", "network", ...reporters("network")]],
  ["real tests", "scripts/offline", ["vitest", "run", "--project", "real", ...reporters("real")]],
];

const isQuick = process.argv.includes("--quick");
const failures: string[] = [];
const startedAt = performance.now();
for (const [name, command, args] of steps) {
  if (isQuick && name === "nats") break;
  const start = performance.now();
  console.log(`\n== ${name}`);
  if ((await run(command, args)) !== 0) failures.push(name);
  console.log(`== ${name}: ${failures.includes(name) ? "FAILED" : "passed"} in ${seconds(start)} s`);
}

interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

let passed = 0;
let failed = 0;
// A CI log is often shown from its end only, so the failures are repeated there.
for (const name of isQuick ? [] : ["fast", "browser", "network", "real"]) {
  const report = JSON.parse(readFileSync(join(reports, `${name}.json`), "utf8")) as TestReport;
  passed += report.numPassedTests;
  failed += report.numFailedTests + report.numPendingTests;
  for (const file of report.testResults) {
    if (file.message !== "") console.log(`\nFAILED ${relative(root, file.name)}\n${file.message}`);
    for (const { status, fullName, failureMessages } of file.assertionResults) {
      if (status === "passed") continue;
      console.log(`\nFAILED ${relative(root, file.name)}: ${fullName} (${status})\n${failureMessages.join("\n")}`);
    }
  }
}
console.log(
  `\n${failures.length === 0 ? "All checks passed" : `Failed: ${failures.join(", ")}`} in ${seconds(startedAt)} s`,
);
if (!isQuick) console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}
