import { dirname, join } from "node:path";
import { FairleadError, PermissionMode } from "@fairlead/contract";
import { parse } from "yaml";
import { z } from "zod";
import type { Environment } from "./child-environment.ts";
import type { Registry } from "./registry.ts";
import { findWorkspaceFile, workspaceFile, type FoundFile } from "./workspace-file.ts";

/** What a workspace may say about the agent that works in it. The same words as everywhere else. */
const WorkspaceFile = z.strictObject({
  agent: z.string().optional(),
  model: z.string().optional(),
  mode: PermissionMode.optional(),
  systemPrompt: z.string().optional(),
  maxTurns: z.int().positive().optional(),
  /** Settings for an agent by its name; they hold only for that one. */
  settings: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
});
type WorkspaceFile = z.infer<typeof WorkspaceFile>;

/** Modes that a file may choose by itself: an agent asks in them, as it does when nobody chooses. */
const asking: readonly PermissionMode[] = ["default", "plan"];
/** What a file may set by itself. All else can make an agent run something, or speak to somebody else. */
const harmless: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  // Some programs take a word with a dash for another flag, wherever it stands.
  ["model", (value: unknown) => typeof value === "string" && !value.startsWith("-")],
  ["maxTurns", (value: unknown) => typeof value === "number"],
]);

export interface Asked {
  readonly workspace: string;
  /** The agent that was named, if one was. */
  readonly agent?: string;
  /** Settings that were given with the name; they take precedence. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly mode?: PermissionMode;
  /** Of the workspace's file only what lets an agent do no more than it could: whoever asks may not trust the rest. */
  readonly cautious?: boolean;
  /** Whether a person has trusted the file as it stands, with all that it sets; nobody has unless told. */
  readonly trusts?: (file: FoundFile) => boolean;
  readonly environment: Environment;
  /** The agent when nobody says anything. */
  readonly fallback: string;
}

export interface Choice {
  readonly agent: string;
  /** Who has chosen it. */
  readonly by: "asked" | "workspace" | "environment" | "default";
  readonly settings: Readonly<Record<string, unknown>>;
  readonly mode?: PermissionMode;
  /** What was wanted and cannot be had from this agent, a sentence each. */
  readonly notices: readonly string[];
}

/**
 * Which agent, and with which settings: what was asked for, then `fairlead.yaml` in the workspace, then the environment
 * (`FAIRLEAD_AGENT`, `FAIRLEAD_MODEL`), then the default. A name that nobody knows is an error, whoever gave it. A file
 * that nobody trusts chooses an agent, a model, an end and a mode that asks; if it says more, nothing is chosen.
 */
export function choose(registry: Registry, asked: Asked): Choice {
  const { environment, fallback, cautious = false, settings: typed = {} } = asked;
  const { file, found } = readWorkspaceFile(asked.workspace);
  const candidates = [
    { by: "asked", name: asked.agent, where: "the command" },
    { by: "workspace", name: file.agent, where: workspaceFile },
    { by: "environment", name: environment["FAIRLEAD_AGENT"] || undefined, where: "FAIRLEAD_AGENT" },
    { by: "default", name: fallback, where: "the default" },
  ] as const;
  const chosen = candidates.find(({ name }) => name !== undefined) ?? candidates[3];
  const agent = chosen.name ?? fallback;
  const { manifest } = named(registry, agent, chosen.where);
  const { model = environment["FAIRLEAD_MODEL"] || undefined, maxTurns } = file;
  const systemPrompt = cautious ? undefined : file.systemPrompt;
  const settings: Record<string, unknown> = cautious ? {} : { ...file.settings[agent] };
  const notices: string[] = [];
  for (const [word, value] of Object.entries({ model, systemPrompt, maxTurns })) {
    if (value === undefined || word in settings || word in typed) continue;
    if (manifest.settings.safeParse({ [word]: value }).success) settings[word] = value;
    else notices.push(`${manifest.label} has no setting "${word}"; it was left out.`);
  }
  const mode = asked.mode ?? (cautious ? undefined : modeOf(file));
  const bold = cautious ? [] : boldIn(file, agent, asked);
  if (found !== null && bold.length > 0 && !asked.trusts?.(found)) throw untrusted(found, bold);
  return {
    agent,
    by: chosen.by,
    settings: { ...settings, ...typed },
    ...(mode !== undefined && { mode }),
    notices,
  };
}

function named(registry: Registry, adapter: string, where: string): ReturnType<Registry["find"]> {
  try {
    return registry.find(adapter);
  } catch (error) {
    if (!FairleadError.is(error, "unknown-agent")) throw error;
    throw new FairleadError(error.code, `${error.message} (The name comes from ${where}.)`, { cause: error });
  }
}

/** Whoever wrote the workspace may not have nobody asked: that a person says, each time. */
function modeOf({ mode }: WorkspaceFile): PermissionMode | undefined {
  if (mode !== "full-auto" && mode !== "dangerously-skip-permissions") return mode;
  const why = `${workspaceFile} may not choose the mode ${mode} by itself.`;
  throw new FairleadError("invalid-settings", `${why} If you trust this workspace, say it with --mode ${mode}.`);
}

/** What a file says that it may not say by itself, as far as it would count. */
function boldIn(
  file: WorkspaceFile,
  adapter: string,
  { settings = {}, mode }: Asked,
): [word: string, value: unknown][] {
  const { model, systemPrompt, maxTurns } = file;
  const said = Object.entries({ model, systemPrompt, maxTurns, ...file.settings[adapter] });
  const bold = said.filter(([word, value]) => {
    return value !== undefined && !Object.hasOwn(settings, word) && !(harmless.get(word)?.(value) ?? false);
  });
  const isBold = mode === undefined && file.mode !== undefined && !asking.includes(file.mode);
  return isBold ? [["mode", file.mode], ...bold] : bold;
}

function untrusted({ path }: FoundFile, bold: readonly [string, unknown][]): FairleadError {
  const sets = bold.map(([word, value]) => `  ${word}: ${shown(JSON.stringify(value))}`).join("\n");
  const next = `If you trust it as it stands: fairlead trust ${quoted(dirname(path))}`;
  return new FairleadError("not-allowed", `${path} is not trusted, and it sets\n${sets}\n${next}`);
}

function shown(json: string): string {
  return json.length <= 200 ? json : `${json.slice(0, 200)}… (${json.length - 200} more letters)`;
}

/** For a shell, where it needs that. */
function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function readWorkspaceFile(workspace: string): { file: WorkspaceFile; found: FoundFile | null } {
  const path = join(workspace, workspaceFile);
  try {
    const found = findWorkspaceFile(workspace);
    if (found === null) return { file: { settings: {} }, found };
    // Without the lines around a mistake: they would show what the file says to whoever may only start something there.
    return { file: WorkspaceFile.parse(parse(found.text, { prettyErrors: false }) ?? {}), found };
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    throw new FairleadError("invalid-settings", `${path} cannot be used:\n${why}`, { cause: error });
  }
}
