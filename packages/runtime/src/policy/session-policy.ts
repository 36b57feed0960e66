import {
  expandPolicyRequest,
  isLoosening,
  withoutLoosening,
  type Opening,
  type PermissionMode,
  type Policy,
  type PolicyRequest,
  type SessionPolicy,
} from "@fairlead/contract";
import { loadWorkspaceConfig } from "../config/select-agent.ts";
import { workspaceFileName, type WorkspaceFileContent } from "../config/workspace-file.ts";
import { defaultPolicy } from "../gate/default-policy.ts";
import type { Home } from "../home.ts";
import { readUserPolicy, userPolicySource } from "./user-policy.ts";

/** The source of the rules that the request for a session contains. */
const requestSource = "the start request";

export interface PolicySources {
  readonly home: Home;
  readonly workspace: string;
  /** Whether the default policy applies, unless the user's file says otherwise. */
  readonly hasDefault: boolean;
  /** What the default policy allows counts in `full-auto` only: in the other modes a person or the agent's rules decide. */
  readonly mode: PermissionMode;
  /** Whether a person trusts this content of the workspace file, with everything it sets. */
  readonly trustsFile: (file: WorkspaceFileContent) => boolean;
  /** What the caller asks for. */
  readonly requested?: PolicyRequest | undefined;
  /** Leaves out what the policies allow: the caller may not approve in advance. */
  readonly approvalsRequired?: boolean | undefined;
}

/**
 * Joins the policies of a new session: of the user, of the workspace, of the request, and the default. Of a rule that occurs
 * twice, the first is named. Returns undefined if there is none. Throws `invalid-settings` for a file that is not valid.
 */
export function joinPolicies(sources: PolicySources): SessionPolicy | undefined {
  const { home, workspace, hasDefault, mode, trustsFile, requested = {}, approvalsRequired = false } = sources;
  const { default: isDefaultWanted, ...user } = readUserPolicy(home.policyFile);
  const { config, content } = loadWorkspaceConfig(workspace);
  const ofWorkspace = expandPolicyRequest(workspaceFileName, config.policy ?? {});
  const isIgnored = isLoosening(ofWorkspace) && (content === null || !trustsFile(content));
  const policies = [
    expandPolicyRequest(userPolicySource, user),
    isIgnored ? withoutLoosening(ofWorkspace) : ofWorkspace,
    expandPolicyRequest(requestSource, requested),
    ...(hasDefault && isDefaultWanted ? [mode === "full-auto" ? defaultPolicy : withoutLoosening(defaultPolicy)] : []),
  ]
    .map((policy) => (approvalsRequired ? withoutLoosening(policy) : policy))
    .filter(isUsed);
  const { unattended, deadlineSeconds } = {
    ...config.policy,
    ...withoutUndefined(user),
    ...withoutUndefined(requested),
  };
  if (policies.length === 0 && unattended === undefined && deadlineSeconds === undefined) return undefined;
  const notice = `${workspaceFileName} is not trusted, so what its policy allows is ignored. Its other rules apply. To use all of it, type: fairlead trust, and start another session.`;
  return {
    policies,
    unattended: unattended ?? "wait",
    ...(deadlineSeconds !== undefined && { deadlineSeconds }),
    ...(isIgnored && { notices: [notice] }),
  };
}

/**
 * Returns what a session that continues another one asks for: what the other one was started with. The files are read again,
 * so that today's rules apply.
 */
export function inheritedPolicy({ policy }: Pick<Opening, "policy">): { readonly policy?: PolicyRequest } {
  if (policy === undefined) return {};
  const { policies, unattended, deadlineSeconds } = policy;
  const { rules = [], grants = [] } = policies.find(({ source }) => source === requestSource) ?? {};
  return { policy: { rules, grants, unattended, ...(deadlineSeconds !== undefined && { deadlineSeconds }) } };
}

const isUsed = ({ rules, grants = [] }: Policy): boolean => rules.length + grants.length > 0;

function withoutUndefined<Value extends object>(value: Value): Partial<Value> {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Partial<Value>;
}
