import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Claim } from "../../measure/claim.ts";
import { runQuietly } from "../../scripts/run.ts";
import type { NodeLoss } from "./lose-node.ts";

const limitSeconds = 30;

export const restateSame: Claim = {
  id: "restate-same",
  statement:
    "A fleet runs the foreman's workflows on a Restate server: the same bodies and the same suite, and a lost node costs seconds.",
  bound: `the suite of workflow engines on one node: all passed; three nodes with two copies of each record, one killed while 20 runs wait: all end within ${limitSeconds} s, each effect once by its key, no stored step called again; controls: what a body does outside of a step is done again, and with one node no run ends`,
  async prove() {
    const installed = await runQuietly("node", ["scripts/install-restate.ts"]);
    if (installed.code !== 0) throw new Error(installed.output);
    const { code, passed, failed } = await runSuite();
    const three = await loseNode("3");
    const one = await loseNode("1");
    const describe = ({ startMs, megabytesPerNode, msPerStep }: NodeLoss): string =>
      `started in ${(startMs / 1000).toFixed(1)} s, ${megabytesPerNode} MB a node, ${msPerStep.toFixed(1)} ms a step`;
    return {
      measured:
        `suite on one node: ${passed} passed, ${failed} failed; one node: ${describe(one)}; three nodes: ${describe(three)}; ` +
        `one of three killed: ${three.finished} of ${three.runs} runs ended within ${(three.finishedAfterMs / 1000).toFixed(1)} s, ` +
        `${three.storedSteps} stored steps called ${three.callsOfStoredSteps} times in all, ${three.laterSteps} later steps ` +
        `${three.callsOfLaterSteps} times, ${three.effects} effects; controls: outside of steps ${three.callsOutsideSteps} calls for ` +
        `${three.runs} runs, with the only node killed ${one.finished} of ${one.runs} runs ended`,
      holds:
        code === 0 &&
        failed === 0 &&
        passed > 50 &&
        three.finished === three.runs &&
        three.finishedAfterMs <= limitSeconds * 1000 &&
        three.callsOfStoredSteps === three.storedSteps &&
        three.effects === three.storedSteps + three.laterSteps &&
        three.callsOutsideSteps > three.runs &&
        one.finished === 0,
    };
  },
};

async function loseNode(nodes: "1" | "3"): Promise<NodeLoss> {
  const { code, output } = await runQuietly("scripts/offline", ["node", "claims/restate-same/lose-node.ts", nodes]);
  const line = output.split("\n").findLast((text) => text.startsWith('{"nodes"'));
  if (code !== 0 || line === undefined) throw new Error(output);
  return JSON.parse(line) as NodeLoss;
}

/** Runs the suite on a server of one node. */
async function runSuite(): Promise<{ readonly code: number; readonly passed: number; readonly failed: number }> {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-restate-same-"));
  try {
    const file = join(folder, "report.json");
    const reporter = ["--reporter=json", `--outputFile.json=${file}`];
    const tests = ["--project", "real", "packages/foreman/src/restate"];
    const { code } = await runQuietly("scripts/offline", ["vitest", "run", ...tests, ...reporter]);
    const report = JSON.parse(readFileSync(file, "utf8")) as { numPassedTests: number; numFailedTests: number };
    return { code, passed: report.numPassedTests, failed: report.numFailedTests };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
