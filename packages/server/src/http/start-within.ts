import type { Scope, Start } from "@fairlead/api";
import { FairleadError, type PermissionMode } from "@fairlead/contract";

/** Modes in which nobody need approve of anything: to choose one is to approve of all. */
const approving: readonly PermissionMode[] = ["full-auto", "dangerously-skip-permissions"];
/** Settings that let an agent do no more than it could. The others are the agent's own and may well do that. */
const harmless: readonly string[] = ["model", "systemPrompt", "maxTurns"];

/**
 * A start as far as whoever asks for it may have it. Without the scope `approve` nothing may be approved of in advance:
 * not by a mode, not by an agent's own settings, and not by what the workspace's file says, which agents can write.
 */
export function startWithin(scopes: readonly Scope[], order: Start): Start {
  if (scopes.includes("approve")) return order;
  const { mode = "default", settings = {} } = order;
  if (approving.includes(mode)) throw refused(`the mode ${mode}`);
  const other = Object.keys(settings).find((name) => !harmless.includes(name));
  if (other !== undefined) throw refused(`the setting ${other}`);
  return { ...order, mode };
}

function refused(what: string): FairleadError {
  return new FairleadError("not-allowed", `The token does not have the scope approve, which ${what} needs.`);
}
