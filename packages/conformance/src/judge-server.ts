import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { McpServer } from "@fairlead/contract";

/** A call that reached the server, and the variable that the server was started with. */
export interface ServerCall {
  readonly tool: string;
  readonly input: unknown;
  readonly token: string;
}

/** The result of the server's tool. */
export const judgeServerResult = "It weighs 23 teaspoons.";

const token = "rK3v-91-xQ7-judge-token";
const tool = "weigh_parcel";
const programFile = "judge-server.mjs";
const callsFile = "judge-server.jsonl";

/** The MCP server that the judge gives an agent. It is a program in the workspace, which also a sandbox shows. */
export class JudgeServer {
  readonly tool = tool;
  readonly token = token;
  readonly server: McpServer;
  readonly #calls: string;

  constructor(workspace: string) {
    const program = join(workspace, programFile);
    this.#calls = join(workspace, callsFile);
    writeFileSync(program, source);
    this.server = {
      name: "judge",
      command: process.execPath,
      args: [program, this.#calls],
      env: { JUDGE_TOKEN: token },
    };
  }

  /** The calls that reached the server. */
  get calls(): ServerCall[] {
    const lines = existsSync(this.#calls) ? readFileSync(this.#calls, "utf8").trim().split("\n") : [];
    return lines.map((line) => JSON.parse(line) as ServerCall);
  }
}

/** Speaks the protocol with `initialize`. It depends on nothing, so that it runs in every workspace. */
const source = `
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
const tool = {
  name: ${JSON.stringify(tool)},
  description: "Weighs a parcel. Use it when the user asks for the weight of a parcel.",
  inputSchema: { type: "object", properties: { parcel: { type: "string" } }, required: ["parcel"] },
  annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
};
function answer(method, params) {
  if (method === "initialize") {
    const { protocolVersion } = params;
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "judge", version: "1" } };
  }
  if (method === "tools/list") return { tools: [tool] };
  if (method === "tools/call") {
    const call = { tool: params.name, input: params.arguments, token: process.env.JUDGE_TOKEN };
    appendFileSync(process.argv[2], JSON.stringify(call) + "\\n");
    return { content: [{ type: "text", text: ${JSON.stringify(judgeServerResult)} }] };
  }
  return method === "ping" ? {} : null;
}
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = answer(method, params);
  const error = { code: -32601, message: "Method not found" };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...(result === null ? { error } : { result }) }) + "\\n");
}
`;
