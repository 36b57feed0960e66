import { mcpToolName, type McpServer } from "@fairlead/contract";

/** Describes MCP servers in the protocol's words. */
export function toAcpServers(servers: readonly McpServer[]): object[] {
  return servers.map(({ name, command, args = [], env = {} }) => ({
    name,
    command,
    args,
    env: Object.entries(env).map(([variable, value]) => ({ name: variable, value })),
  }));
}

/** How an agent names the tools of MCP servers: a prefix, the server, `_` and the tool. */
export interface AcpServerTools {
  readonly prefix: string;
  readonly servers: readonly string[];
}

/**
 * Names a tool of a server, the same for every agent, by the agent's own name of it. Null for other tools. The names of
 * servers contain no `_`, so that only one can match.
 */
export function findServerTool({ prefix, servers }: AcpServerTools, ownName: string): string | null {
  const server = servers.find((name) => ownName.startsWith(`${prefix}${name}_`));
  return server === undefined ? null : mcpToolName(server, ownName.slice(prefix.length + server.length + 1));
}

/**
 * Returns the name of a tool from the id of its call: the name, a separator, and an id that may begin with the name again.
 * The name of a server's tool can contain the separator.
 */
export function toolNameInCallId(call: string, separator: string): string | null {
  for (let end = call.indexOf(separator); end >= 0; end = call.indexOf(separator, end + 1)) {
    const name = call.slice(0, end);
    if (call.startsWith(`${name}_`, end + separator.length)) return name;
  }
  const end = call.lastIndexOf(separator);
  return end < 0 ? null : call.slice(0, end);
}
