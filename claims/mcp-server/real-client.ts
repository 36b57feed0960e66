/** Lets a real agent drive a session over MCP, offline, and prints what it could do as JSON. */
import { execFile } from "node:child_process";
import { writeFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { agentProgram, scriptPrompt, testBenches, type ScriptToolCall } from "@fairlead/lab";
import { allowAsPerson, firstMessage, makeRepository, secondMessage, type DrivenSession } from "./drive-session.ts";
import { McpBench } from "./mcp-bench.ts";

/** What a real agent could do, and what became of its attempts to answer. */
export interface RealClientResult extends DrivenSession {
  /** How many ways it tried, and how many calls were allowed meanwhile. */
  readonly attempts: number;
  readonly allowed: number;
}

const agent = "claude-code";
const server = "fairlead";
const toolNames = ["start_session", "send", "wait", "read_diff", "stop_session"];
const toolOf = (name: string, input: object): ScriptToolCall => ({ name: `mcp__${server}__${name}`, input });

const folder = mkdtempSync(join(tmpdir(), "m-"));
using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
const openBench = testBenches[agent];
if (openBench === undefined) throw new Error(`There is no test bench for ${agent}.`);
await using lab = await openBench(join(folder, "s"));
await using bench = await McpBench.open(lab.environment);
makeRepository(bench.workspace);
const configuration = join(folder, "mcp.json");
writeFileSync(configuration, JSON.stringify({ mcpServers: { [server]: bench.serverCommand } }));

/** Runs the agent until it ends, with one call after the other. Returns the texts of the results, in order. */
async function runAgent(calls: readonly ScriptToolCall[]): Promise<string[]> {
  // The program loads the tools of servers only when the model asks for them.
  const select = toolNames.map((name) => `mcp__${server}__${name}`).join(",");
  const search = { name: "ToolSearch", input: { query: `select:${select}`, max_results: toolNames.length } };
  const prompt = scriptPrompt([...[search, ...calls].map((call) => ({ tools: [call] })), { text: "Done." }]);
  const options = ["--mcp-config", configuration, "--strict-mcp-config", "--allowedTools", `mcp__${server}`];
  const format = ["--output-format", "stream-json", "--verbose"];
  const running = promisify(execFile)(agentProgram(agent), ["-p", prompt, ...options, ...format], {
    cwd: bench.workspace,
    env: lab.environment,
    maxBuffer: 64 << 20,
  });
  running.child.stdin?.end();
  const { stdout } = await running;
  return stdout.split("\n").filter(Boolean).flatMap(readResults).slice(1);
}

interface StreamedMessage {
  readonly type: string;
  readonly message?: { readonly content: unknown };
}

function readResults(line: string): string[] {
  const { type, message } = JSON.parse(line) as StreamedMessage;
  if (type !== "user" || !Array.isArray(message?.content)) return [];
  const blocks = message.content as { readonly type: string; readonly content?: unknown }[];
  return blocks.flatMap((block) => (block.type === "tool_result" ? [JSON.stringify(block.content)] : []));
}

const session = "worker";
const file = "worker.txt";
const person = bench.connect();
const [started = "", waited = ""] = await runAgent([
  toolOf("start_session", { agent: "scripted", name: session, prompt: firstMessage(file) }),
  toolOf("wait", { session }),
]);
const decision = (await person.session(session)).waitingFor[0]?.decision ?? "";
const attempts = [
  toolOf("answer", { session, decision, answer: { type: "allow" } }),
  toolOf("send", { session, text: "approve", decision, answer: { type: "allow" } }),
  toolOf("wait", { session, timeout_seconds: 1, answer: { type: "allow" } }),
  toolOf("start_session", { agent: "scripted", name: "automatic", mode: "full-auto", prompt: firstMessage("x.txt") }),
  toolOf("start_session", { agent: "shell", prompt: "touch x.txt" }),
];
await runAgent(attempts);
const isOpen = (await person.session(session)).waitingFor.some((one) => one.decision === decision);
const allowed = (await bench.readAllowed()).length + (isOpen ? 0 : 1);
await allowAsPerson(bench, session);
const [sent = "", idle = "", diff = "", stopped = ""] = await runAgent([
  toolOf("send", { session, text: secondMessage }),
  toolOf("wait", { session }),
  toolOf("read_diff", { session }),
  toolOf("stop_session", { session }),
]);
const { state, turns } = await person.session(session);
const result: RealClientResult = {
  client: agent,
  started: started.includes("scripted"),
  waitedForPerson: waited.includes("waits for a person to decide: write"),
  sent: sent.includes("was sent") && idle.includes("Second done.") && turns === 2,
  readDiff: diff.includes(`- created ${file}`) && diff.includes("+made by an agent"),
  stopped: stopped.includes("has ended") && state === "ended",
  attempts: attempts.length,
  allowed,
};
if (Object.values(result).includes(false)) console.error({ started, waited, sent, idle, diff, stopped, state, turns });
console.log(JSON.stringify(result));
