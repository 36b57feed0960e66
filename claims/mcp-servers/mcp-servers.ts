import { mcpToolName } from "@fairlead/contract";
import type { Claim } from "../../measure/claim.ts";
import { runQuietly } from "../../scripts/run.ts";
import type { ServerCalls } from "./call-server.ts";

const agents = ["claude-code", "codex", "gemini-cli", "opencode", "openai-api"];
const editorAgents = ["claude-code", "opencode"];
const programs: readonly string[] = [...agents, ...editorAgents.map((agent) => `editor:${agent}`), "bare:openai-api"];
const tool = mcpToolName("notes", "add_note");

export const mcpServers: Claim = {
  id: "mcp-servers",
  statement:
    "An MCP server of the user, or of an editor, works with every agent that takes servers: in the sandbox, and through the gate.",
  bound: `real ${agents.join(", ")}, and an editor's server with ${editorAgents.join(" and ")}: asked about as ${tool}, one call, which sees no file that the sandbox hides, and the agent gets its result; denied by a rule, or in the editor: 0 calls; controls: without the rule, 1 call; without a sandbox, the server sees the file`,
  async prove() {
    const installed = await runQuietly("npm", ["run", "agents"]);
    if (installed.code !== 0) throw new Error(installed.output);
    const { code, output } = await runQuietly("scripts/offline", [
      "node",
      "claims/mcp-servers/call-server.ts",
      ...programs,
    ]);
    if (code !== 0) throw new Error(output);
    const runs = output.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as ServerCalls] : []));
    return {
      measured: runs.map(describeCalls).join("; "),
      holds: runs.length === programs.length && runs.every(isGated),
    };
  },
};

function isGated({ kind, allowed, denied }: ServerCalls): boolean {
  const asked = [...allowed.asked, ...denied.asked];
  return (
    asked.filter((name) => name === tool).length === 2 &&
    allowed.calls.length === 1 &&
    allowed.calls.every(({ seesHidden }) => seesHidden === (kind === "bare")) &&
    allowed.outputs.some((text) => text.includes("4711")) &&
    denied.calls.length === 0
  );
}

const kinds = { editor: ", server of an editor", bare: ", control without a sandbox", plain: "" };

function describeCalls({ agent, version, kind, allowed, denied }: ServerCalls): string {
  const hidden = allowed.calls.filter(({ seesHidden }) => seesHidden).length;
  const asked = [...allowed.asked, ...denied.asked].filter((name) => name === tool).length;
  return `${agent} ${version ?? ""}${kinds[kind]}: asked ${asked} times, allowed ${allowed.calls.length} call (${hidden} saw the hidden file), denied ${denied.calls.length}`;
}
