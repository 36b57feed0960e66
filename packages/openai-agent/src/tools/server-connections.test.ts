import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AgentWorkspace } from "../agent-workspace.ts";
import { ServerConnections, type ServerTools } from "./server-connections.ts";

let folder = "";
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "servers-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A server that answers as this function of `method` and `params` does, which is given as a text. */
function server(name: string, answer: string, start = "") {
  const program = join(folder, `${name}.mjs`);
  writeFileSync(
    program,
    `import { appendFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
${start}
const answer = ${answer};
const tool = { name: "sum.up", description: "Adds.", inputSchema: { type: "object" } };
const text = (text) => ({ resultType: "complete", content: [{ type: "text", text }] });
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  appendFileSync(${JSON.stringify(join(folder, name))}, method + "\\n");
  if (id === undefined) continue;
  const result = answer(method, params);
  if (result === "silence") continue;
  const error = { code: -32601, message: "Method not found" };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) }) + "\\n");
}
`,
  );
  return { name, command: process.execPath, args: [program], env: [{ name: "TOKEN", value: "t-1" }] };
}

const tools = `if (method === "tools/list") return { resultType: "complete", tools: [tool], ttlMs: 0, cacheScope: "private" };
  if (method === "tools/call") return text(JSON.stringify(params.arguments) + process.env.TOKEN + process.env.OPENAI_API_KEY);`;
/** Of the era in which a connection begins with a handshake. */
const legacy = `(method, params) => {
  if (method === "initialize") return { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } };
  ${tools}
}`;
/** Of the era without a state: it knows no handshake. */
const stateless = `(method, params) => {
  if (method === "server/discover") return { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" }, ttlMs: 0, cacheScope: "private" };
  ${tools}
}`;

async function call({ tools: [tool] }: ServerTools, signal = new AbortController().signal) {
  if (tool === undefined) throw new Error("There is no tool.");
  return await tool.use({ n: 1 }, { workspace: await AgentWorkspace.open(folder), call: "c", signal });
}

test.each([
  ["legacy", legacy],
  ["stateless", stateless],
])("calls a tool of a %s server, which gets its variables and not the agent's key", async (name, answer) => {
  process.env["OPENAI_API_KEY"] = "sk-agent";
  await using connections = new ServerConnections([server(name, answer)], folder);
  const opened = await connections.ready;
  expect(opened.problems).toEqual([]);
  expect(opened.tools).toMatchObject([{ name: `mcp__${name}__sum_up`, description: "Adds.", effect: "calls" }]);
  expect(await call(opened)).toEqual({ ok: true, output: '{"n":1}t-1undefined' });
  const methods = readFileSync(join(folder, name), "utf8").split("\n");
  expect(methods.includes("initialize")).toBe(name === "legacy");
});

test("a server that is missing, exits, or does not answer is a sentence, and the others work", async () => {
  const silent = server("silent", `() => "silence"`);
  const dead = server("dead", legacy, "process.exit(3);");
  const missing = { name: "missing", command: join(folder, "absent"), args: [], env: [] };
  const url = { type: "http" as const, name: "remote", url: "http://127.0.0.1:9/", headers: [] };
  await using connections = new ServerConnections([silent, dead, missing, url, server("good", legacy)], folder, 1500);
  const { tools: found, problems } = await connections.ready;
  expect(found.map(({ name }) => name)).toEqual(["mcp__good__sum_up"]);
  expect(problems).toHaveLength(4);
  expect(problems.join("\n")).toMatch(
    /silent is not available: .*\n.*dead is not available.*\n.*missing is not.*\n.*remote is/,
  );
});

test("a server that dies in a call, and an interrupt, end the call", async () => {
  const dies = legacy.replace("return text(", "process.exit(1); return text(");
  const hangs = legacy.replace("return text(", 'return "silence"; return text(');
  await using connections = new ServerConnections([server("dies", dies), server("hangs", hangs)], folder);
  const { tools: found } = await connections.ready;
  const [first, second] = found.map((tool) => ({ tools: [tool], problems: [] }));
  await expect(call(first ?? { tools: [], problems: [] })).rejects.toThrow(/closed/i);
  const stop = new AbortController();
  const pending = call(second ?? { tools: [], problems: [] }, stop.signal);
  stop.abort(new Error("The call was interrupted."));
  await expect(pending).rejects.toThrow(/interrupted|abort/i);
});

test("the servers end with the conversation", async () => {
  const pidFile = join(folder, "pid");
  const start = `writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));`;
  const connections = new ServerConnections([server("good", legacy, start)], folder);
  await connections.ready;
  await connections[Symbol.asyncDispose]();
  const pid = Number(readFileSync(pidFile, "utf8"));
  for (let tries = 0; tries < 100 && existsSync(`/proc/${pid}`); tries += 1) await wait(20);
  expect(existsSync(`/proc/${pid}/exe`)).toBe(false);
});
