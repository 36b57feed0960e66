/**
 * A job for CI: lets an agent fix a failing test, within a budget.
 * `node examples/ci-fix/main.ts [--agent scripted] [--turns 3] [--dollars 1]` in a folder whose `node --test` fails.
 * It exits with 0 when the test passes, with 3 when the budget is used up first, and leaves nothing running.
 */
import { parseArgs } from "node:util";
import { adapters } from "@fairlead/adapters";
import { Home } from "@fairlead/runtime";
import { LocalFairlead } from "@fairlead/server";
import { oneTurn } from "./one-turn.ts";
import { requestFor } from "./request-for.ts";
import { runTests } from "./run-tests.ts";

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
      spent += await oneTurn(fairlead, session, requestFor(values.agent, turn, tests.output), dollars - spent);
      tests = runTests(workspace);
      console.log(`turn ${turn}: the test ${tests.passed ? "passes" : "still fails"}; $${spent.toFixed(2)} spent`);
    }
  } finally {
    await fairlead.stop(session);
  }
}
console.log(tests.passed ? "Green." : "The budget is used up.");
process.exitCode = tests.passed ? 0 : 3;
