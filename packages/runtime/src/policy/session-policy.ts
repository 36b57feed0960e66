import {
  expandPolicyRequest,
  filterRules,
  isLoosening,
  normalizeRooms,
  withoutLoosening,
  type Opening,
  type PermissionMode,
  type Policy,
  type PolicyRequest,
  type PolicyRule,
  type SessionPolicy,
} from "@fairlead/contract";
import { loadWorkspaceConfig } from "../config/select-agent.ts";
import { roomScope } from "../config/workspace-rooms.ts";
import type { WorkspaceConfig } from "../config/workspace-config.ts";
import { workspaceFileName, type WorkspaceFileContent } from "../config/workspace-file.ts";
import { defaultPolicy } from "../gate/default-policy.ts";
import type { Home } from "../home.ts";
import { isOfParent } from "../delegation/parent-bounds.ts";
import { normalizeRulePath } from "./normalize-rule-path.ts";
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
  const expand = (source: string, request: PolicyRequest): Policy => {
    const { rules, ...rest } = expandPolicyRequest(source, request);
    return { ...rest, rules: rules.map((rule) => normalizeRulePath(rule, workspace)) };
  };
  const ofWorkspace = expand(workspaceFileName, config.policy ?? {});
  const isTrusted = content === null || trustsFile(content);
  const isIgnored = isLoosening(ofWorkspace) && !isTrusted;
  assertKnownRooms(requested, config);
  // An untrusted file could extend a room that the user's own rules allow something in.
  const allowsRoom = ({ verdict, room }: PolicyRule): boolean => verdict === "allow" && room !== undefined;
  const withoutUntrustedRooms = (policy: Policy): Policy =>
    isTrusted ? policy : filterRules(policy, (rule) => !allowsRoom(rule));
  const own = [expand(userPolicySource, user), expand(requestSource, requested)];
  const areRoomsIgnored = !isTrusted && own.some(({ rules }) => rules.some(allowsRoom));
  const [ofUser, ofRequest] = own.map(withoutUntrustedRooms);
  const policies = [
    ...(ofUser === undefined ? [] : [ofUser]),
    isIgnored ? withoutLoosening(ofWorkspace) : ofWorkspace,
    ...(ofRequest === undefined ? [] : [ofRequest]),
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
  const ignored = [
    ...(isIgnored ? ["what its policy allows is ignored. Its other rules apply"] : []),
    ...(areRoomsIgnored ? ["rules that allow something in a room are ignored"] : []),
  ];
  const notices = ignored.map(
    (what) =>
      `${workspaceFileName} is not trusted, so ${what}. To use all of it, type: fairlead trust, and start another session.`,
  );
  return {
    policies,
    unattended: unattended ?? "wait",
    ...(deadlineSeconds !== undefined && { deadlineSeconds }),
    ...(notices.length > 0 && { notices }),
  };
}

/**
 * Returns what a session that continues another one asks for: what the other one was started with. The files are read again,
 * so that today's rules apply.
 */
export function inheritedPolicy({ policy }: Pick<Opening, "policy">): { readonly policy?: PolicyRequest } {
  if (policy === undefined) return {};
  const { policies, unattended, deadlineSeconds } = policy;
  // What a parent denies or asks about also counts for a session that continues its child.
  const inherited = policies.filter(({ source }) => source === requestSource || isOfParent(source));
  const rules = inherited.flatMap((one) => one.rules);
  const grants = inherited.flatMap((one) => one.grants ?? []);
  return { policy: { rules, grants, unattended, ...(deadlineSeconds !== undefined && { deadlineSeconds }) } };
}

/** Throws `invalid-request` for a rule of the request about a room that the workspace does not have: it would never apply. */
function assertKnownRooms({ rules = [] }: PolicyRequest, { rooms = {} }: WorkspaceConfig): void {
  const { room } = rules.find((rule) => rule.room !== undefined && !Object.hasOwn(rooms, rule.room)) ?? {};
  if (room !== undefined) roomScope(normalizeRooms(rooms), room);
}

const isUsed = ({ rules, grants = [] }: Policy): boolean => rules.length + grants.length > 0;

function withoutUndefined<Value extends object>(value: Value): Partial<Value> {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Partial<Value>;
}
