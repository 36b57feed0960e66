/**
 * A CI job that lets an agent fix a failing test within a budget:
 * `node examples/ci-fix/main.ts [--agent scripted] [--turns 3] [--dollars 1]` in a folder whose `node --test` fails.
 * The exit code is 0 if the test passes, and 3 if the budget is exhausted first. No process is left running.
 */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { adapters } from "@fairlead/adapters";
import type { Fairlead } from "@fairlead/api";
import { Home } from "@fairlead/runtime";
import { LocalFairlead } from "@fairlead/service";

const { values } = parseArgs({
  options: {
    agent: { type: "string", default: "scripted" },
    turns: { type: "string", default: "3" },
    dollars: { type: "string", default: "1" },
  },
});
const workspace = process.cwd();
const dollars = Number(values.dollars);

let tests = runTests(workspace);
if (!tests.passed) {
  await using fairlead = await LocalFairlead.open({ home: new Home(".fairlead"), adapters });
  const { session } = await fairlead.start({ agent: values.agent, workspace, mode: "full-auto" });
  try {
    let spent = 0;
    for (let turn = 1; !tests.passed && turn <= Number(values.turns) && spent < dollars; turn += 1) {
      spent += await runTurn(fairlead, session, buildPrompt(values.agent, turn, tests.output), dollars - spent);
      tests = runTests(workspace);
      console.log(`turn ${turn}: the test ${tests.passed ? "passes" : "still fails"}; $${spent.toFixed(2)} spent`);
    }
  } finally {
    await fairlead.stop(session);
  }
}
console.log(tests.passed ? "The test passes." : "The budget is exhausted.");
process.exitCode = tests.passed ? 0 : 3;

interface TestResult {
  readonly passed: boolean;
  readonly output: string;
}

/** Runs the tests of a folder. The job runs them, because the agent's own report is no proof. */
function runTests(folder: string): TestResult {
  // With this variable set, Node would report these tests as part of an outer test run.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout } = spawnSync(process.execPath, ["--test"], { cwd: folder, encoding: "utf8", env });
  return { passed: status === 0, output: stdout };
}

/**
 * Builds the prompt. The scripted agent has no model, so its prompt carries a script: wrong code first, then right
 * code.
 */
function buildPrompt(agent: string, turn: number, output: string): string {
  const request = `\`node --test\` fails here. Change the code, not the test, so that it passes. Output:\n${output}`;
  if (agent !== "scripted") return request;
  const content = `export const sum = (one, other) => one ${turn === 1 ? "*" : "+"} other;\n`;
  const write = { name: "write", input: { path: "sum.js", content } };
  return `${request}\nSCRIPT:${JSON.stringify([{ text: "I will change it.", tools: [write] }])}`;
}

/**
 * Sends a prompt and waits for the end of the turn. Returns its cost. Interrupts the turn when it reaches the budget.
 */
async function runTurn(fairlead: Fairlead, session: string, prompt: string, budget: number): Promise<number> {
  const { last } = await fairlead.session(session);
  await fairlead.send(session, prompt);
  let spent = 0;
  for await (const output of fairlead.events(session, { after: last, follow: true })) {
    if (!("body" in output)) continue;
    const { body } = output;
    if (body.type === "file.changed") console.log(`  ${body.change} ${body.path}`);
    if (body.type === "usage.reported") spent += body.cost?.amount ?? 0;
    if (body.type === "usage.reported" && spent >= budget) await fairlead.interrupt(session);
    if (body.type === "turn.ended") return spent;
  }
  return spent;
}
