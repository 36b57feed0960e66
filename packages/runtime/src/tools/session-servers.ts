import { capabilitiesOf, FairleadError, listMcpServers } from "@fairlead/contract";
import type { Adapter, Manifest, McpServer, ProbeResult } from "@fairlead/contract";
import { loadWorkspaceConfig } from "../config/select-agent.ts";
import { readUserConfig } from "../config/user-config.ts";
import { workspaceFileName, type WorkspaceFileContent } from "../config/workspace-file.ts";
import type { Home } from "../home.ts";
import type { StartOptions } from "../sessions/start/start-options.ts";

export interface ServerSources {
  readonly home: Home;
  /** The folder whose `fairlead.yaml` counts. */
  readonly workspace: string;
  /** Whether a person trusts this content of the workspace file, with everything it sets. */
  readonly trustsFile: (file: WorkspaceFileContent) => boolean;
  readonly adapter: Pick<Adapter, "manifest">;
  readonly probeResult: Pick<ProbeResult, "version" | "flags">;
}

export interface SessionServers {
  readonly servers: readonly McpServer[];
  /** What a person should know about servers that were left out. */
  readonly notices: readonly string[];
}

/**
 * Finds the MCP servers of a new session: of the request, of the workspace's file, and of the user. Of two with one name, the
 * first of these counts. A session that continues another one has the servers of that one, and the files are not read. A
 * caller who may not approve gets those of the user only, because a server is a program that runs.
 */
export function findSessionServers(
  { mcpServers: requested = [], continues, approvalsRequired }: StartOptions,
  { home, workspace, trustsFile, adapter, probeResult }: ServerSources,
): SessionServers {
  if (continues !== undefined) return { servers: approvalsRequired === true ? [] : requested, notices: [] };
  const { servers: ofUser, notices } = readUserServers(home);
  const ofWorkspace = approvalsRequired === true ? [] : readTrustedServers(workspace, trustsFile);
  const servers = new Map([...ofUser, ...ofWorkspace, ...requested].map((server) => [server.name, server]));
  if (servers.size === 0 || takesServers(adapter.manifest, probeResult))
    return { servers: [...servers.values()], notices };
  const names = [...servers.keys()].join(", ");
  return {
    servers: [],
    notices: [...notices, `${adapter.manifest.label} cannot use MCP servers. Left out: ${names}.`],
  };
}

/** A session that asks for no sandbox does not depend on the file. Others are refused because of it elsewhere. */
function readUserServers(home: Home): SessionServers {
  try {
    return { servers: listMcpServers(readUserConfig(home.configFile).mcp ?? {}), notices: [] };
  } catch (error) {
    if (!FairleadError.is(error, "invalid-settings")) throw error;
    return { servers: [], notices: [`${error.message} The MCP servers in it were left out.`] };
  }
}

function readTrustedServers(workspace: string, trustsFile: ServerSources["trustsFile"]): McpServer[] {
  const { config, content } = loadWorkspaceConfig(workspace);
  if (config.mcp === undefined || content === null) return [];
  if (trustsFile(content)) return listMcpServers(config.mcp);
  throw new FairleadError("not-allowed", `${workspaceFileName} is not trusted, and it names MCP servers.`);
}

/** Throws `not-supported` if an agent cannot be given the servers that a request names. */
export function assertTakesServers(
  manifest: Manifest,
  probeResult: Pick<ProbeResult, "version" | "flags">,
  servers: readonly McpServer[],
): void {
  if (servers.length === 0 || takesServers(manifest, probeResult)) return;
  const program = probeResult.version === null ? manifest.label : `${manifest.label} ${probeResult.version}`;
  throw new FairleadError(
    "not-supported",
    `${program} cannot be given MCP servers: it lacks the capability mcp-servers.`,
  );
}

function takesServers(manifest: Manifest, { version, flags }: Pick<ProbeResult, "version" | "flags">): boolean {
  return capabilitiesOf(manifest, version, flags).includes("mcp-servers");
}
