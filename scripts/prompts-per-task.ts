/**
 * Counts how often the default policy asks a person in ten tasks of a programmer, in `full-auto` on a real agent, offline:
 * `scripts/offline node scripts/prompts-per-task.ts [AGENT]`. The model's calls are scripted, and every request is approved.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { ScenarioRun, type BenchAction } from "@fairlead/conformance";
import { testBenches } from "@fairlead/lab";

const run = (command: string): BenchAction => ({ run: command, unescalated: true });
const read = (path: string): BenchAction => ({ read: path });
const write = (path: string, content: string): BenchAction => ({ write: { path, content } });

const sum = "export const sum = (a, b) => a + b;\n";
const test = 'import { sum } from "../src/sum.js";\nif (sum(1, 2) !== 3) throw new Error("sum");\n';

/** The calls of a model in each task, in order. */
const tasks: Readonly<Record<string, readonly BenchAction[]>> = {
  "fix a test": [
    run("npm test 2>&1 | tail -40"),
    read("test/sum.test.js"),
    read("src/sum.js"),
    write("src/sum.js", sum),
    run("npm test"),
    run("git diff --stat"),
  ],
  "add a function": [
    run("grep -rn 'export' src"),
    read("src/index.js"),
    write("src/index.js", 'export * from "./sum.js";\nexport const twice = (a) => 2 * a;\n'),
    write("test/twice.test.js", test),
    run("node --test test/twice.test.js"),
    run("npm run lint -- --fix"),
  ],
  rename: [
    run("grep -rln 'sum' src test"),
    run("git mv src/sum.js src/add.js"),
    run("sed -i 's/sum/add/g' src/add.js src/index.js test/sum.test.js"),
    run("git status --short"),
    run("npm test"),
  ],
  "update docs": [read("README.md"), write("README.md", "# Place\n\nHow to use it.\n"), run("git diff README.md")],
  refactor: [
    run("find src -name '*.js' | xargs wc -l"),
    read("src/index.js"),
    write("src/parts/one.js", sum),
    write("src/parts/two.js", sum),
    run("npx tsc --noEmit"),
    run("npm run build && npm test"),
  ],
  "bump a dependency": [
    run("npm outdated"),
    run("npm view left-pad version"),
    run("npm install left-pad@1.3.0"),
    run("git diff package.json"),
    run("npm test"),
  ],
  debug: [
    run("ls -la src"),
    run("node -e 'console.log(process.version)'"),
    run("node src/index.js 2>&1 | head -20"),
    read("src/index.js"),
    write("src/index.js", 'export * from "./sum.js";\nconsole.error("here");\n'),
    run("node src/index.js"),
    run("git stash && npm test; git stash pop"),
  ],
  "add a CI step": [
    run("ls -la .github/workflows"),
    read(".github/workflows/ci.yml"),
    write(".github/workflows/ci.yml", "on: push\njobs: {}\n"),
    run("git diff"),
  ],
  commit: [
    run("git status --short"),
    run("git diff"),
    run("git add -A"),
    run("git -c user.name=a -c user.email=a@localhost commit -m 'Add a part'"),
    run("git log --oneline -3"),
  ],
  review: [
    run("git log --oneline main..HEAD"),
    run("git diff main...HEAD"),
    run("git show --stat HEAD"),
    run("gh pr view 12 --comments"),
    run("grep -rn 'TODO' src | wc -l"),
  ],
};

const [agent = "claude-code"] = process.argv.slice(2);
const adapter = adapters.find(({ manifest }) => manifest.id === agent);
const openBench = testBenches[agent];
if (adapter === undefined || openBench === undefined) throw new Error(`The lab has no test bench for ${agent}.`);
const folder = mkdtempSync(join(tmpdir(), "tasks-"));
using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
prepareProject(join(folder, "workspace"));
const programs = preparePrograms(join(folder, "programs"));
await using bench = await openBench(join(folder, "s"));
const environment = { ...bench.environment, PATH: `${programs}:${bench.environment["PATH"] ?? ""}` };
writeFileSync(join(bench.environment["HOME"] ?? folder, ".profile"), `PATH="${programs}:$PATH"\n`);
await using session = await ScenarioRun.open(adapter, { ...bench, environment }, folder, { defaultPolicy: true });
await session.start({ mode: "full-auto" });

const counts: number[] = [];
let turns = 0;
let answered = 0;
for (const [task, calls] of Object.entries(tasks)) {
  turns += 1;
  const isOver = (): boolean => session.eventsOfType("turn.ended").length === turns;
  const requests = () => session.eventsOfType("decision.requested").filter(({ reading }) => reading?.verdict === "ask");
  const before = answered;
  const reasons: string[] = [];
  await session.runSteps(...calls.map((action) => ({ actions: [action] })), { text: "Done." });
  while (!isOver()) {
    await session.waitUntil(() => isOver() || requests().length > answered, "the end of the task or a question");
    for (const { decision, reading } of requests().slice(answered)) {
      answered += 1;
      reasons.push(reading?.reason ?? "");
      await session.session.answer(decision, { type: "allow" });
    }
  }
  counts.push(answered - before);
  console.log(`${task}: ${answered - before} prompts in ${calls.length} calls`);
  for (const reason of reasons) console.log(`  ${reason}`);
}
const total = counts.reduce((sumOfAll, count) => sumOfAll + count, 0);
const version = session.eventsOfType("session.started")[0]?.agentVersion ?? "";
console.log(
  `${agent} ${version}: ${total} prompts in ${counts.length} tasks with ${Object.values(tasks).flat().length} calls, at most ${Math.max(...counts)} in one; ${session.eventsOfType("decision.requested").length} requests of the agent`,
);

function prepareProject(workspace: string): void {
  const files: Readonly<Record<string, string>> = {
    "package.json": '{ "name": "place", "type": "module", "scripts": { "test": "node --test" } }\n',
    "README.md": "# Place\n",
    "src/sum.js": "export const sum = (a, b) => a - b;\n",
    "src/index.js": 'export * from "./sum.js";\n',
    "test/sum.test.js": test,
    ".github/workflows/ci.yml": "on: push\n",
  };
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, file)), { recursive: true });
    writeFileSync(join(workspace, file), content);
  }
  const identity = ["-c", "user.name=a", "-c", "user.email=a@localhost", "-c", "init.defaultBranch=main"];
  for (const args of [["init"], ["add", "."], ["commit", "-m", "start"], ["checkout", "-b", "work"]])
    execFileSync("git", [...identity, ...args], { cwd: workspace, stdio: "ignore" });
}

/** Programs that would need a network. They only succeed. */
function preparePrograms(path: string): string {
  mkdirSync(path);
  for (const name of ["npm", "npx", "gh"]) {
    writeFileSync(join(path, name), "#!/bin/sh\nexit 0\n");
    chmodSync(join(path, name), 0o755);
  }
  return path;
}
