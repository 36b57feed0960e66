import { FairleadError, type Manifest, type PermissionMode } from "@fairlead/contract";

/** Modes in which an agent asks about all that its own rules have it ask about. */
const asking: readonly PermissionMode[] = ["default", "plan"];
/** Settings that let an agent do no more than it could. The others are the agent's own and may well do that. */
const harmless: readonly string[] = ["model", "systemPrompt", "maxTurns"];

/** How an agent is to be begun. */
export interface Beginning {
  readonly mode: PermissionMode;
  readonly settings: Readonly<Record<string, unknown>>;
}

/**
 * Refuses what would ask nobody, or not about everything: for whoever may drive but not approve. Nothing may be approved
 * of in advance, be it by a mode, by an agent's own settings, or by taking an agent that never asks.
 */
export function mustAsk({ label, capabilities, settings: schema }: Manifest, { mode, settings }: Beginning): void {
  if (!capabilities.includes("approvals")) throw refused(`${label}, which asks nobody,`);
  if (!asking.includes(mode)) throw refused(`the mode ${mode}`);
  const [chosen, usual] = [schema.safeParse(settings).data ?? settings, schema.safeParse({}).data ?? {}];
  const differs = (name: string): boolean => JSON.stringify(chosen[name]) !== JSON.stringify(usual[name]);
  const other = Object.keys(chosen).find((name) => !harmless.includes(name) && differs(name));
  if (other !== undefined) throw refused(`the setting ${other}`);
  // Some programs take a word with a dash for another flag, also where it stands for the value of the one before.
  const flag = harmless.find((name) => (JSON.stringify(chosen[name]) ?? "").startsWith('"-'));
  if (flag !== undefined) throw refused(`the setting ${flag} with a dash in front`);
}

function refused(what: string): FairleadError {
  return new FairleadError("not-allowed", `The token does not have the scope approve, which ${what} needs.`);
}
