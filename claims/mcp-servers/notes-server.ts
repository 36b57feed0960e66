/**
 * An MCP server of a user, over stdio: `node notes-server.ts LOG HIDDEN`. Each call that reaches it is a line of the log, so
 * that a call which was denied is seen to be missing. The line says whether the server sees a file that a sandbox hides. The
 * server depends on nothing, because a sandbox may show nothing else.
 */
import { appendFileSync, existsSync } from "node:fs";
import { createInterface } from "node:readline";

interface Message {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string; readonly name?: string; readonly arguments?: unknown };
}

const [, , log = "", hidden = ""] = process.argv;
const tools = [
  {
    name: "add_note",
    description: "Adds a note. Use it when the user asks to note something.",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  },
];

function answer({ method, params = {} }: Message): object | null {
  switch (method) {
    case "initialize": {
      const { protocolVersion } = params;
      return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "notes", version: "1" } };
    }
    case "tools/list":
      return { tools };
    case "tools/call": {
      const call = { tool: params.name, input: params.arguments, seesHidden: existsSync(hidden) };
      appendFileSync(log, `${JSON.stringify(call)}\n`);
      return { content: [{ type: "text", text: "It is noted under 4711." }] };
    }
    case "ping":
      return {};
    default:
      return null;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as Message;
  if (message.id === undefined) continue;
  const result = answer(message);
  const outcome = result === null ? { error: { code: -32_601, message: "Method not found" } } : { result };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: message.id, ...outcome })}\n`);
}
