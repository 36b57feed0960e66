import { FairleadError, withoutLoosening } from "@fairlead/contract";
import type { Opening, ParentSession, Policy, Sandbox, SessionPolicy } from "@fairlead/contract";

/** The session whose agent starts another one, with what the other one may not exceed. */
export type ParentBounds = ParentSession & Pick<Opening, "sandbox" | "policy" | "mode">;

/** What the kernel allows, from the least to the most. */
const widths = {
  kind: ["bwrap", "none"],
  workspace: ["read", "write"],
  network: ["none", "gate", "open"],
} as const satisfies { readonly [Name in "kind" | "workspace" | "network"]: readonly Sandbox[Name][] };

const ofParent = ", by the parent";

/** Whether rules of this source come from the session that started the session. */
export const isOfParent = (source: string): boolean => source.endsWith(ofParent);

/** Throws `not-allowed` if a session could reach more than its parent. A session without a sandbox can reach everything. */
export function assertSandboxWithin(sandbox: Sandbox, parent: Sandbox | undefined): void {
  if (parent === undefined || parent.kind === "none") return;
  for (const name of ["kind", "workspace", "network"] as const) {
    const order: readonly string[] = widths[name];
    if (order.indexOf(sandbox[name]) <= order.indexOf(parent[name])) continue;
    throw new FairleadError(
      "not-allowed",
      `A session may not reach more than the one that starts it: ${name} ${sandbox[name]} instead of ${parent[name]}.`,
    );
  }
}

/**
 * Adds to the policy of a session what its parent's policy denies and asks about. Deny beats ask and ask beats allow, so that
 * nothing is allowed which the parent's policy does not allow.
 */
export function withParentPolicy(
  own: SessionPolicy | undefined,
  parent: SessionPolicy | undefined,
): SessionPolicy | undefined {
  if (parent === undefined) return own;
  const ownRules = new Set(own?.policies.map(({ rules }) => JSON.stringify(rules)));
  const inherited = parent.policies
    .map((policy): Policy => ({ ...withoutLoosening(policy), source: `${policy.source}${ofParent}` }))
    // What the session has itself, such as the default policy, need not be inherited.
    .filter(({ rules }) => rules.length > 0 && !ownRules.has(JSON.stringify(rules)));
  const deadlines = [own?.deadlineSeconds, parent.deadlineSeconds].filter((seconds) => seconds !== undefined);
  return {
    policies: [...(own?.policies ?? []), ...inherited],
    unattended: own?.unattended === "deny" || parent.unattended === "deny" ? "deny" : "wait",
    ...(deadlines.length > 0 && { deadlineSeconds: Math.min(...deadlines) }),
    ...(own?.notices && { notices: own.notices }),
  };
}
