import { mkdtempDisposableSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Claim } from "../../measure/claim.ts";
import { runQuietly } from "../../scripts/run.ts";

const limitSeconds = 60;

interface SuiteRun {
  readonly code: number;
  readonly passed: number;
  readonly failed: number;
  readonly longestSeconds: number;
}

export const journalNats: Claim = {
  id: "journal-nats",
  statement: "The event log on NATS passes the suite of the SQLite log, on one server and on three.",
  bound: `the suite of journals on one server and on three servers that sync each write: all passed, each test within ${limitSeconds} s`,
  async prove() {
    const installed = await runQuietly("node", ["scripts/install-nats.ts"]);
    if (installed.code !== 0) throw new Error(installed.output);
    const runs = [await runSuite("fast", "one-server.test.ts"), await runSuite("claim", "three-servers.claim.test.ts")];
    const [one, three] = runs.map(
      ({ passed, failed, longestSeconds }) =>
        `${passed} passed, ${failed} failed, the longest test ${longestSeconds.toFixed(1)} s`,
    );
    return {
      measured: `one server: ${one}; three servers: ${three}`,
      holds: runs.every(
        ({ code, passed, failed, longestSeconds }) =>
          code === 0 && failed === 0 && passed > 40 && longestSeconds <= limitSeconds,
      ),
    };
  },
};

async function runSuite(project: string, file: string): Promise<SuiteRun> {
  using folder = mkdtempDisposableSync(join(tmpdir(), "fairlead-journal-nats-"));
  const report = join(folder.path, "report.json");
  const reporter = ["--reporter=json", `--outputFile.json=${report}`];
  const tests = ["--project", project, `packages/nats/src/log/${file}`];
  const { code } = await runQuietly("vitest", ["run", ...tests, ...reporter]);
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, "utf8")) as {
    numPassedTests: number;
    numFailedTests: number;
    testResults: { assertionResults: { duration?: number | null }[] }[];
  };
  const durations = testResults.flatMap(({ assertionResults }) =>
    assertionResults.map(({ duration }) => duration ?? 0),
  );
  return {
    code,
    passed: numPassedTests,
    failed: numFailedTests,
    longestSeconds: Math.max(0, ...durations) / 1000,
  };
}
