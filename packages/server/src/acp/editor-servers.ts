import type { McpServer as EditorServer } from "@agentclientprotocol/sdk";
import { FairleadError, McpServer } from "@fairlead/contract";

/** An editor's MCP servers: those that an agent can be given, and the names of the others. */
export interface EditorServers {
  readonly servers: readonly McpServer[];
  readonly ignored: readonly string[];
}

/**
 * Converts an editor's MCP servers. Their names become names that every agent accepts: `My Notes` becomes `my-notes`. Of two
 * that get the same name, the second is ignored, as are servers that are no program.
 */
export function readEditorServers(servers: readonly EditorServer[]): EditorServers {
  const usable = new Map<string, McpServer>();
  const ignored: string[] = [];
  for (const server of servers) {
    const converted = "command" in server ? McpServer.safeParse(convert(server)).data : undefined;
    if (converted === undefined || usable.has(converted.name)) ignored.push(server.name);
    else usable.set(converted.name, converted);
  }
  return { servers: [...usable.values()], ignored };
}

function convert({ name, command, args, env }: Extract<EditorServer, { command: string }>): McpServer {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const variables = Object.fromEntries(env.map((variable) => [variable.name, variable.value]));
  return { name: words.join("-"), command, args, env: variables };
}

/**
 * Starts a session with an editor's servers, or without them if its agent cannot be given servers, or this caller may not
 * give it any: an editor names its servers in every request, and does not know the agent. Logs those that are ignored.
 */
export async function startWithServers<Started>(
  servers: readonly EditorServer[],
  start: (servers: readonly McpServer[]) => Promise<Started>,
  log: (line: string) => void,
): Promise<Started> {
  const { servers: usable, ignored } = readEditorServers(servers);
  logIgnoredServers(ignored, log);
  if (usable.length === 0) return await start([]);
  try {
    return await start(usable);
  } catch (error) {
    if (!FairleadError.is(error, "not-supported") && !FairleadError.is(error, "not-allowed")) throw error;
    const started = await start([]);
    const names = usable.map(({ name }) => name);
    logIgnoredServers(names, log, error.message);
    return started;
  }
}

export function logIgnoredServers(names: readonly string[], log: (line: string) => void, reason = ""): void {
  if (names.length > 0) log(`MCP servers from the editor are ignored: ${names.join(", ")}. ${reason}`.trimEnd());
}
