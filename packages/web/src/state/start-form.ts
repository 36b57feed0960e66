import type { AgentView, StartRequest } from "@fairlead/api";
import type { PermissionMode, SpendingLimits } from "@fairlead/contract";

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

/** Why an agent cannot be chosen, as the probe says; null if it can. */
export function whyUnavailable({ probeResult }: AgentView): string | null {
  return probeResult.installed ? null : (probeResult.problems[0] ?? "It is not installed on the service's machine.");
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
