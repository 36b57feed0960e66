import {
  capabilitiesOf,
  FairleadError,
  isLoosening,
  type Manifest,
  modesThatAsk,
  type PermissionMode,
  type ProbeResult,
  type SessionPolicy,
} from "@fairlead/contract";
import { harmlessSettingNames, isFlag } from "@fairlead/runtime";

/** The mode and the settings of a session to start, and the probed program. */
export interface SessionStartSettings {
  readonly mode: PermissionMode;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Decides which protocol the adapter uses. A fallback protocol may not ask for approval, unlike the main one. */
  readonly probeResult: Pick<ProbeResult, "version" | "flags">;
  /** The policy of a session that exists. A new one of such a caller has none that allows. */
  readonly policy?: SessionPolicy;
}

/**
 * Throws `not-allowed` if a session would run actions without asking for approval. Protects against callers that may
 * drive but not approve: they must not approve in advance by a mode, by an agent's own settings, or by an agent that
 * never asks.
 */
export function assertAsksForApproval(manifest: Manifest, start: SessionStartSettings): void {
  const { mode, settings, probeResult, policy } = start;
  const { label, settings: schema } = manifest;
  const capabilities = capabilitiesOf(manifest, probeResult.version, probeResult.flags);
  if (!capabilities.includes("approvals")) throw approveScopeMissing(`${label}, which never asks for approval,`);
  if (!modesThatAsk.includes(mode)) throw approveScopeMissing(`the mode ${mode}`);
  const allowing = policy?.policies.find(isLoosening);
  if (allowing !== undefined) throw approveScopeMissing(`a session that allows calls by ${allowing.source}`);
  const [requested, defaults] = [schema.safeParse(settings).data ?? settings, schema.safeParse({}).data ?? {}];
  const differs = (name: string): boolean => JSON.stringify(requested[name]) !== JSON.stringify(defaults[name]);
  const overridden = Object.keys(requested).find((name) => !harmlessSettingNames.includes(name) && differs(name));
  if (overridden !== undefined) throw approveScopeMissing(`the setting ${overridden}`);
  const flag = harmlessSettingNames.find((name) => isFlag(requested[name]));
  if (flag !== undefined) throw approveScopeMissing(`a value of the setting ${flag} that starts with a dash`);
}

function approveScopeMissing(feature: string): FairleadError {
  return new FairleadError(
    "not-allowed",
    `The caller may not approve in advance, which ${feature} requires. A person can start it, or a program whose token has the scope approve.`,
  );
}
