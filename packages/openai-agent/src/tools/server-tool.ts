import type { Client, Tool } from "@modelcontextprotocol/client";
import { clipMiddle, type AgentTool } from "./agent-tool.ts";

/** Milliseconds: how long a call may take without a report of its progress. */
const callTimeout = 300_000;
/** The longest name of a tool that the API accepts. */
const maxNameLength = 64;

/** A tool of an MCP server, and the name that the model knows it by. */
export interface ServerToolOffer {
  readonly name: string;
  readonly tool: Tool;
}

/** Names the tools of a server for the model. Leaves out those that would have no name of their own. */
export function listServerTools(
  server: string,
  tools: readonly Tool[],
): { readonly offers: readonly ServerToolOffer[]; readonly problems: readonly string[] } {
  const offers = new Map<string, ServerToolOffer>();
  const problems: string[] = [];
  for (const tool of tools) {
    const name = `mcp__${server}__${tool.name.replaceAll(/[^\w-]/g, "_")}`;
    if (name.length > maxNameLength || offers.has(name))
      problems.push(`The tool ${tool.name} of the MCP server ${server} has no name that fits. It was left out.`);
    else offers.set(name, { name, tool });
  }
  return { offers: [...offers.values()], problems };
}

/** Creates the tool with which the model calls a tool of a server. A failure of the server is an outcome, in words. */
export function createServerTool({ name, tool }: ServerToolOffer, client: Pick<Client, "callTool">): AgentTool {
  return {
    name,
    description: tool.description ?? "",
    effect: "calls",
    parameters: tool.inputSchema,
    async use(input, { signal }) {
      const args = input as Record<string, unknown>;
      const options = { signal, timeout: callTimeout, resetTimeoutOnProgress: true };
      const { content, isError } = await client.callTool({ name: tool.name, arguments: args }, options);
      const texts = content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`));
      return { ok: isError !== true, output: clipMiddle(texts.join("\n")) };
    },
  };
}
