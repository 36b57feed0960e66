import { mcpToolName, type McpServer } from "@fairlead/contract";

/**
 * The parameters of a thread that give Codex MCP servers. In a request and not in the arguments of its program, which every
 * user of the machine can read. Codex asks before each call of their tools, also before those that call themselves harmless.
 */
export function configureCodexServers(servers: readonly McpServer[]): object {
  if (servers.length === 0) return {};
  const entries = servers.map(({ name, command, args = [], env = {} }) => [
    `mcp_servers.${name}`,
    { command, args, env, default_tools_approval_mode: "prompt" },
  ]);
  return { config: Object.fromEntries(entries) as unknown };
}

/** Names a tool of a server. Tools of servers in Codex's own configuration keep the name that they had in older spools. */
export function codexServerToolName(servers: readonly string[], server: string, tool: string): string {
  return servers.includes(server) ? mcpToolName(server, tool) : `${server}.${tool}`;
}
