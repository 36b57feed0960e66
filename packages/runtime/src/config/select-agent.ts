import { dirname, join } from "node:path";
import {
  FairleadError,
  listMcpServers,
  modesThatAsk,
  type PermissionMode,
  type SpendingLimits,
} from "@fairlead/contract";
import type { Environment } from "../host/child-environment.ts";
import type { AdapterRegistry } from "./adapter-registry.ts";
import { isAllowedInUntrustedFile } from "./approval-policy.ts";
import { parseWorkspaceConfig } from "./parse-workspace-config.ts";
import type { WorkspaceConfig } from "./workspace-config.ts";
import { findWorkspaceFile, workspaceFileName, type WorkspaceFileContent } from "./workspace-file.ts";

export interface AgentSelectionOptions {
  readonly workspace: string;
  /** The agent that the caller named, if any. */
  readonly agent?: string;
  /** Settings from the caller. They take precedence. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly mode?: PermissionMode;
  /** Ignores the settings of the workspace file that could let an agent do more: the caller may not trust the file. */
  readonly approvalsRequired?: boolean;
  /** Whether a person trusts this content of the file, with everything it sets. By default, no file is trusted. */
  readonly trusts?: (file: WorkspaceFileContent) => boolean;
  readonly environment: Environment;
  /** The agent if no source names one. */
  readonly fallback: string;
}

export interface SelectedAgent {
  readonly agent: string;
  /** Where the name of the agent comes from. */
  readonly source: "caller" | "workspace" | "environment" | "default";
  readonly settings: Readonly<Record<string, unknown>>;
  readonly mode?: PermissionMode;
  /** The limits of the workspace file. They only limit, so that no trust is needed. */
  readonly limits?: SpendingLimits;
  /** Settings that were left out because this agent does not have them, one sentence each. */
  readonly notices: readonly string[];
}

/**
 * Selects the agent and its settings: from the caller, then `fairlead.yaml` in the workspace, then the environment
 * (`FAIRLEAD_AGENT`, `FAIRLEAD_MODEL`), then the default. An unknown name is an error, whatever its source. A file that is
 * not trusted may set the agent, the model, the number of turns, and a mode that asks for approval. If it sets anything
 * else, this throws `not-allowed`.
 */
export function selectAgent(registry: AdapterRegistry, options: AgentSelectionOptions): SelectedAgent {
  const { environment, fallback, approvalsRequired = false, settings: explicitSettings = {} } = options;
  const { config, content } = loadWorkspaceConfig(options.workspace);
  const candidates = [
    { source: "caller", name: options.agent, description: "the command" },
    { source: "workspace", name: config.agent, description: workspaceFileName },
    { source: "environment", name: environment["FAIRLEAD_AGENT"] || undefined, description: "FAIRLEAD_AGENT" },
    { source: "default", name: fallback, description: "the default" },
  ] as const;
  const selected = candidates.find(({ name }) => name !== undefined) ?? candidates[3];
  const agent = selected.name ?? fallback;
  const { manifest } = findNamedAdapter(registry, agent, selected.description);
  const { model = environment["FAIRLEAD_MODEL"] || undefined, maxTurns } = config;
  const systemPrompt = approvalsRequired ? undefined : config.systemPrompt;
  const settings: Record<string, unknown> = approvalsRequired ? {} : { ...config.settings[agent] };
  const notices: string[] = [];
  for (const [name, value] of Object.entries({ model, systemPrompt, maxTurns })) {
    if (value === undefined || name in settings || name in explicitSettings) continue;
    if (manifest.settings.safeParse({ [name]: value }).success) settings[name] = value;
    else notices.push(`${manifest.label} has no setting "${name}". It was ignored.`);
  }
  const mode = options.mode ?? (approvalsRequired ? undefined : permittedMode(config));
  const untrustedSettings = approvalsRequired ? [] : findUntrustedSettings(config, agent, options);
  if (content !== null && untrustedSettings.length > 0 && !options.trusts?.(content))
    throw untrustedFileError(content, untrustedSettings);
  return {
    agent,
    source: selected.source,
    settings: { ...settings, ...explicitSettings },
    ...(mode !== undefined && { mode }),
    ...(config.limits !== undefined && { limits: config.limits }),
    notices,
  };
}

function findNamedAdapter(
  registry: AdapterRegistry,
  agent: string,
  source: string,
): ReturnType<AdapterRegistry["find"]> {
  try {
    return registry.find(agent);
  } catch (error) {
    if (!FairleadError.is(error, "unknown-agent")) throw error;
    throw new FairleadError(error.code, `${error.message} The name comes from ${source}.`, { cause: error });
  }
}

/** Returns the mode of the file. The author of a workspace may not turn approvals off; a person must do so each time. */
function permittedMode({ mode }: WorkspaceConfig): PermissionMode | undefined {
  if (mode !== "full-auto" && mode !== "dangerously-skip-permissions") return mode;
  const problem = `${workspaceFileName} may not select the mode ${mode}, because it turns approvals off.`;
  throw new FairleadError("invalid-settings", `${problem} Type --mode ${mode}.`);
}

/** Lists the settings that take effect and that an untrusted file may not set. */
function findUntrustedSettings(
  config: WorkspaceConfig,
  agent: string,
  { settings = {}, mode }: AgentSelectionOptions,
): [name: string, value: unknown][] {
  const { model, systemPrompt, maxTurns } = config;
  const configured = Object.entries({ model, systemPrompt, maxTurns, ...config.settings[agent] });
  const untrustedSettings = configured.filter(([name, value]) => {
    return value !== undefined && !Object.hasOwn(settings, name) && !isAllowedInUntrustedFile(name, value);
  });
  for (const { name, command, args = [] } of listMcpServers(config.mcp ?? {}))
    untrustedSettings.push([`mcp.${name}`, [command, ...args].join(" ")]);
  const isModeUntrusted = mode === undefined && config.mode !== undefined && !modesThatAsk.includes(config.mode);
  return isModeUntrusted ? [["mode", config.mode], ...untrustedSettings] : untrustedSettings;
}

function untrustedFileError({ path }: WorkspaceFileContent, settings: readonly [string, unknown][]): FairleadError {
  const lines = settings.map(([name, value]) => `  ${name}: ${truncateJson(JSON.stringify(value))}`).join("\n");
  const hint = `If you trust its content, type: fairlead trust ${quoteForShell(dirname(path))}`;
  return new FairleadError("not-allowed", `${path} is not trusted, and it sets:\n${lines}\n${hint}`);
}

function truncateJson(json: string): string {
  return json.length <= 200 ? json : `${json.slice(0, 200)}… (${json.length - 200} more characters)`;
}

/** Quotes a word for a shell, if it needs quotes. */
function quoteForShell(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Reads the workspace file and its content. Throws `invalid-settings` if it is not valid. */
export function loadWorkspaceConfig(workspace: string): {
  config: WorkspaceConfig;
  content: WorkspaceFileContent | null;
} {
  const path = join(workspace, workspaceFileName);
  try {
    const content = findWorkspaceFile(workspace);
    if (content === null) return { config: { settings: {} }, content };
    return { config: parseWorkspaceConfig(content.text), content };
  } catch (error) {
    const problem = (error as Error).message;
    throw new FairleadError("invalid-settings", `${path} cannot be used:\n${problem}`, { cause: error });
  }
}
