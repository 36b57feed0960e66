/**
 * A person types into the agent's own terminal with `fairlead attach`, and hands back. Prints what the CLI's commands then
 * show, as JSON: `scripts/offline node real-agent.ts '{"agent":…}'`.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { FileView, UsageView } from "@fairlead/api";
import type { ServedUsage } from "@fairlead/conformance";
import type { Event } from "@fairlead/contract";
import { testBenches } from "@fairlead/lab";
import { runQuietly } from "../../scripts/run.ts";
import { TmuxTerminal } from "../../scripts/tmux-terminal.ts";
import type { TakeoverReport } from "./takeover-recorded.ts";

const { agent } = JSON.parse(process.argv[2] ?? "") as { agent: string };
const openBench = testBenches[agent];
if (openBench === undefined) throw new Error(`The lab has no test bench for ${agent}.`);
const folder = mkdtempSync(join(tmpdir(), "r-"));
using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
const workspace = join(folder, "w");
mkdirSync(workspace);
await using bench = await openBench(join(folder, "s"));
const main = fileURLToPath(new URL("../../packages/cli/src/main.ts", import.meta.url));
const environment = {
  ...bench.environment,
  FAIRLEAD_HOME: join(folder, "h"),
  PATH: `${dirname(process.execPath)}:${bench.environment["PATH"] ?? ""}`,
};
/** Milliseconds. The screen of a large program on a busy machine. */
const waitLimitMs = 180_000;
/** Milliseconds between two presses of the Enter key. */
const enterInterval = 4000;

async function run(...words: string[]): Promise<string> {
  const { code, output } = await runQuietly(process.execPath, [main, ...words], { cwd: workspace, env: environment });
  if (code !== 0) throw new Error(`fairlead ${words.join(" ")} exited with ${code}: ${output}`);
  return output;
}

async function readJson<Value>(...words: string[]): Promise<Value[]> {
  const lines = (await run(...words, "--json")).split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as Value);
}

async function countTokens(): Promise<number> {
  const entries = await readJson<UsageView>("usage", "one");
  return sum(entries.map(({ tokens }) => tokens.uncached + tokens.cacheRead + tokens.cacheWrite + tokens.output));
}

function countServed(withAuxiliary: boolean): number {
  const served: readonly ServedUsage[] = bench.readServedUsage?.() ?? [];
  const counted = served.filter(({ auxiliary }) => withAuxiliary || auxiliary !== true);
  return sum(counted.map(({ tokens }) => tokens.uncached + tokens.cacheRead + tokens.cacheWrite + tokens.output));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

await using _daemon = { [Symbol.asyncDispose]: async () => void (await run("down", "--stop-sessions")) };
const settings = Object.entries(bench.settings ?? {}).flatMap(([name, value]) => ["--set", `${name}=${String(value)}`]);
const mode = bench.mode === undefined ? [] : ["--mode", bench.mode];
const first = bench.buildPrompt([{ text: "The word is heliotrope." }], workspace) ?? "";
await run("run", agent, "--name", "one", ...mode, ...settings, "--", first);
const usageBefore = await countTokens();
const servedBefore = [countServed(false), countServed(true)] as const;

// The screen shows the word only when the agent says it: the message contains it in another form.
const steps = [
  { actions: [{ write: { path: "written.txt", content: "quince\n" } }] },
  { actions: [{ run: "echo gooseberry > ran.txt; cat ran.txt" }] },
  { text: "Now it is marmalade.", chunks: 1 },
];
const message = (bench.buildPrompt(steps, workspace) ?? "").replaceAll("marmalade", String.raw`marmalad\u0065`);
{
  using terminal = new TmuxTerminal("rec", environment, [process.execPath, main, "attach", "one"]);
  await terminal.waitFor(/heliotrope/, waitLimitMs);
  terminal.type(message);
  await terminal.waitFor(/marmalad/, waitLimitMs);
  // Enter sends the message and gives each approval that the agent asks for in its terminal.
  for (const deadline = Date.now() + waitLimitMs; ;) {
    terminal.press("Enter");
    const isAnswered = await terminal.waitFor(/marmalade/, enterInterval).then(
      () => true,
      () => false,
    );
    if (isAnswered) break;
    if (Date.now() > deadline) throw new Error(`The agent did not answer. The screen shows:\n${terminal.screen}`);
  }
  await waitUntilQuiet(terminal);
  terminal.press("C-\\");
  await terminal.waitFor(/The agent leads again/, waitLimitMs);
}

const log = await run("logs", "one");
const bodies = (await readJson<Event>("logs", "one")).map(({ body }) => body);
const terminalTurn = bodies.findIndex((body) => body.type === "turn.started" && body.origin === "terminal");
const recorded = terminalTurn < 0 ? [] : bodies.slice(terminalTurn);
const files = await readJson<FileView>("files", "one");
const usage = (await countTokens()) - usageBefore;
const report: TakeoverReport = {
  messages: log.split("\nterminal> ").length - 1,
  answers: log.match(/^│ Now it is marmalade\.$/gm)?.length ?? 0,
  calls: recorded.filter((body) => body.type === "tool.ended" && body.ok && body.output.includes("gooseberry")).length,
  isOutputShown: log.includes("gooseberry"),
  wasRun: existsSync(join(workspace, "ran.txt")),
  files: files.map(({ path, change }) => `${change} ${resolve(workspace, path).slice(workspace.length + 1)}`),
  sources: recorded.flatMap((body) => (body.type === "turn.started" ? [body.source ?? "agent"] : [])),
  usage,
  // An agent may leave auxiliary requests, such as one for a title, out of its transcript.
  served: [countServed(false) - servedBefore[0], countServed(true) - servedBefore[1]],
};
console.log(JSON.stringify(report));

/** The screen shows an answer before the agent has stored it. A terminal that works shows it by an animation. */
async function waitUntilQuiet(terminal: TmuxTerminal): Promise<void> {
  for (let before = ""; before !== terminal.screen;) {
    before = terminal.screen;
    await new Promise((done) => void setTimeout(done, 1500));
  }
}
