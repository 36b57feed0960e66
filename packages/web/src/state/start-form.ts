import type { AgentView, Scope, StartRequest } from "@fairlead/api";
import { modesThatAsk, type PermissionMode, type SpendingLimits } from "@fairlead/contract";

/** What a person has filled in to start a session. */
export interface StartForm {
  readonly agent: string;
  readonly workspace: string;
  readonly mode: PermissionMode;
  readonly prompt: string;
  readonly name: string;
  readonly isIsolated: boolean;
  readonly limits: Readonly<Record<keyof SpendingLimits, string>>;
}

export const emptyStartForm: StartForm = {
  agent: "",
  workspace: "",
  mode: "default",
  prompt: "",
  name: "",
  isIsolated: false,
  limits: { usd: "", tokens: "", seconds: "" },
};

/** What a start request names, and which modes there are to choose from. */
export interface StartChoice {
  /** The chosen agent; null if none can be started. */
  readonly view: AgentView | null;
  readonly modes: readonly PermissionMode[];
  readonly mode: PermissionMode;
}

/** Why an agent cannot be chosen, as the probe or the scopes say; null if it can. */
export function whyUnavailable({ probeResult, capabilities }: AgentView, scopes: readonly Scope[]): string | null {
  if (!probeResult.installed) return probeResult.problems[0] ?? "It is not installed on the service's machine.";
  if (scopes.includes("approve") || capabilities.includes("approvals")) return null;
  return "It never asks for approval, so starting it approves in advance. Your access has no scope “approve”.";
}

/**
 * Completes a form: without a chosen agent, the first one that reports no problem, and a mode that the agent has and the
 * scopes permit. The form shows the result, and the request is built from it: a mode of another agent is never sent.
 */
export function chooseStart(
  { agent, mode }: Pick<StartForm, "agent" | "mode">,
  agents: readonly AgentView[],
  scopes: readonly Scope[],
): StartChoice {
  const usable = agents.filter((view) => whyUnavailable(view, scopes) === null);
  const ready = usable.find(({ probeResult }) => probeResult.problems.length === 0);
  const view = usable.find((one) => one.agent === agent) ?? ready ?? usable[0] ?? null;
  const modes = (view?.modes ?? []).filter((one) => scopes.includes("approve") || modesThatAsk.includes(one));
  return { view, modes, mode: modes.includes(mode) ? mode : (modes[0] ?? "default") };
}

/** The request of a form. Fields that are empty are left out, so that the defaults of the workspace apply. */
export function buildStartRequest({
  agent,
  workspace,
  mode,
  prompt,
  name,
  isIsolated,
  limits,
}: StartForm): StartRequest {
  const amounts = Object.entries(limits).flatMap(([kind, text]) => (text.trim() === "" ? [] : [[kind, Number(text)]]));
  return {
    agent,
    workspace: workspace.trim(),
    mode,
    ...(prompt.trim() !== "" && { prompt }),
    ...(name.trim() !== "" && { name: name.trim() }),
    ...(isIsolated && { isolated: true }),
    ...(amounts.length > 0 && { limits: Object.fromEntries(amounts) as SpendingLimits }),
  };
}

/** The folders of the newest sessions, each once. */
export function recentWorkspaces(
  sessions: Iterable<{
    readonly workspace: string;
    readonly lastAt: string;
    readonly copy?: { readonly workspace: string } | undefined;
  }>,
): string[] {
  const sorted = [...sessions].toSorted((a, b) => (a.lastAt < b.lastAt ? 1 : -1));
  return [...new Set(sorted.map(({ copy, workspace }) => copy?.workspace ?? workspace))].slice(0, 12);
}
