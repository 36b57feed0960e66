import { z } from "zod";
import { expandPolicySpec, PolicySpec } from "./policy-spec.ts";
import { Policy, type PolicyRule } from "./policy.ts";
import { SessionPolicy } from "./session-policy.ts";

const { shellAllowlist, shellDenylist, requiresApprovalFor, networkMode } = PolicySpec.shape;

/** A policy as a person or a program writes it: rules, the short form of rules, or both. */
export const PolicyRequest = z.strictObject({
  rules: Policy.shape.rules.optional(),
  /** Answers given in advance to questions about commands. */
  grants: Policy.shape.grants,
  unattended: SessionPolicy.shape.unattended.optional(),
  deadlineSeconds: SessionPolicy.shape.deadlineSeconds,
  shellAllowlist: shellAllowlist.unwrap().optional(),
  shellDenylist: shellDenylist.unwrap().optional(),
  requiresApprovalFor: requiresApprovalFor.unwrap().optional(),
  networkMode: networkMode.unwrap().optional(),
});
export type PolicyRequest = z.infer<typeof PolicyRequest>;

/** Returns the policy that a request stands for. */
export function expandPolicyRequest(source: string, request: PolicyRequest): Policy {
  const { rules = [], grants, unattended: _, deadlineSeconds: __, ...spec } = request;
  const isShortForm = Object.values(spec).some((value) => value !== undefined);
  const expanded: PolicyRule[] = isShortForm ? expandPolicySpec(PolicySpec.parse(spec)) : [];
  return { source, rules: [...rules, ...expanded], ...(grants !== undefined && { grants }) };
}

/** Reports whether a policy allows anything: a rule with that verdict, or a grant. */
export function isLoosening({ rules, grants = [] }: Policy): boolean {
  return grants.length > 0 || rules.some(({ verdict }) => verdict === "allow");
}

/** Returns a policy without what it allows. */
export function withoutLoosening(whole: Policy): Policy {
  const { grants: _, ...policy } = whole;
  return filterRules(policy, ({ verdict }) => verdict !== "allow");
}

/** Returns a policy with some of its rules, which keep their numbers. */
export function filterRules(policy: Policy, isKept: (rule: PolicyRule) => boolean): Policy {
  const kept = policy.rules.flatMap((rule, at) => (isKept(rule) ? [{ rule, number: ruleNumber(policy, at) }] : []));
  if (kept.length === policy.rules.length) return policy;
  return { ...policy, rules: kept.map(({ rule }) => rule), numbers: kept.map(({ number }) => number) };
}

/** Returns the number of a rule in its source. */
export function ruleNumber({ numbers }: Policy, index: number): number {
  return numbers?.[index] ?? index + 1;
}
