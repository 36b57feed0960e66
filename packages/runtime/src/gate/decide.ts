import { ruleNumber } from "@fairlead/contract";
import type { Policy, PolicyRule, PolicyRuleRef, PolicyVerdict } from "@fairlead/contract";
import type { ShellCommand } from "@fairlead/kit";
import type { PolicyFinding } from "./policy-finding.ts";
import { deriveGrants, findGrant, type OfferedGrant } from "./grants.ts";
import { inspectAction, type Inspection } from "./inspect-action.ts";
import { allowsCommand, matchesRule } from "./match-rule.ts";
import { onlyReads } from "./only-reads.ts";
import type { PolicyAction } from "./policy-action.ts";

/** What a policy says about an action. */
export interface PolicyDecision {
  readonly verdict: PolicyVerdict;
  /** Why, as a sentence for the person who decides. */
  readonly reason: string;
  /** The rule or the grant that decided. Null if none did. */
  readonly rule: PolicyRuleRef | null;
  /** What the deciding rule is about. Null if it names no category. */
  readonly category: PolicyFinding["category"] | null;
  /** What was found in the action, whether a rule asks about it or not. */
  readonly findings: readonly PolicyFinding[];
  /** What would be executed, in the order in which it is written. */
  readonly commands: readonly ShellCommand[];
  /** Whether it only reads in the workspace, and nothing in it deserves a question. */
  readonly onlyReads: boolean;
  /** What a person could allow so that such actions are not asked about again. Empty if that cannot be said. */
  readonly grants: readonly OfferedGrant[];
}

const strength: readonly PolicyVerdict[] = ["allow", "ask", "deny"];

/**
 * Decides about an action. Pure and total. Of all rules of all policies, deny beats ask, and ask beats allow. An action that
 * cannot be understood is asked about, and one that no rule is about is allowed. A grant answers a rule that asks.
 */
export function decide(policies: readonly Policy[], action: PolicyAction): PolicyDecision {
  const rules = policies.flatMap((policy) =>
    policy.rules.map((rule, at) => ({ source: policy.source, number: ruleNumber(policy, at), rule })),
  );
  const allowing = rules.filter(({ rule }) => rule.verdict === "allow" && rule.command !== undefined);
  // A rule that also names a tool, a path, a room or a host does not allow its command elsewhere.
  const alone = allowing.filter(
    ({ rule: { tool, path, room, host, category } }) => !(tool ?? path ?? room ?? host ?? category),
  );
  const isAllowedAlone = (command: ShellCommand): boolean =>
    alone.some(({ rule }) => allowsCommand(rule.command ?? "", command));
  const inspection = inspectWith(
    allowing.map(({ rule }) => rule),
    alone.map(({ rule }) => rule),
    action,
  );
  const { findings, commands } = inspection;
  const inspected = { findings, commands, onlyReads: onlyReads(action, inspection), grants: [] };
  let strongest: (typeof rules)[number] | null = null;
  for (const candidate of rules) {
    const isStronger =
      strongest === null || strength.indexOf(candidate.rule.verdict) > strength.indexOf(strongest.rule.verdict);
    if (isStronger && matchesRule(candidate.rule, action, inspection, isAllowedAlone)) strongest = candidate;
  }
  const undecidable = findings.find(({ category }) => category === "undecidable");
  const naming = rules.find(({ rule }) => allowsServerTool(rule, action) && matchesRule(rule, action, inspection));
  if (naming !== undefined && strongest?.rule.verdict === "allow") strongest = naming;
  else if (undecidable !== undefined && strongest?.rule.verdict !== "deny") {
    const reason = `It cannot be known what it does: ${undecidable.because}.`;
    return { ...inspected, verdict: "ask", reason, rule: null, category: "undecidable" };
  }
  if (strongest === null) {
    return { ...inspected, verdict: "allow", reason: "No rule is about it.", rule: null, category: null };
  }
  const { source, number, rule } = strongest;
  const grant = rule.verdict === "ask" ? findGrant(policies, action, inspection) : null;
  if (grant !== null) {
    const reason = `A person allowed \`${grant.command}\`; grant ${grant.ref.number} of ${grant.ref.source}.`;
    return { ...inspected, verdict: "allow", reason, rule: grant.ref, category: null };
  }
  return {
    ...inspected,
    verdict: rule.verdict,
    reason: explain(rule, findings, source, number),
    rule: { source, number },
    category: rule.category ?? null,
    grants: rule.verdict === "ask" ? deriveGrants(policies, action, inspection) : [],
  };
}

/**
 * Reports whether a rule allows a tool of an MCP server by its name. No adapter can tell what such a tool does, but the
 * author of the rule can.
 */
function allowsServerTool({ verdict, tool }: PolicyRule, action: PolicyAction): boolean {
  return verdict === "allow" && tool === action.tool && tool?.startsWith("mcp__") === true;
}

/** Inspects an action. A rule that allows a command makes its program a vetted one where the rest of the rule applies. */
function inspectWith(allowing: readonly PolicyRule[], alone: readonly PolicyRule[], action: PolicyAction): Inspection {
  const inspectFor = (rules: readonly PolicyRule[]): Inspection =>
    inspectAction(action, (command) => rules.some((rule) => allowsCommand(rule.command ?? "", command)));
  const inspection = inspectFor(alone);
  if (alone.length === allowing.length) return inspection;
  const applies = (rule: PolicyRule): boolean => {
    const { command: _, category: __, ...rest } = rule;
    return matchesRule(rest, action, inspection);
  };
  return inspectFor(allowing.filter(applies));
}

function explain(rule: PolicyRule, findings: readonly PolicyFinding[], source: string, number: number): string {
  const finding = findings.find(({ category }) => category === rule.category);
  const what =
    finding === undefined ? (rule.command === undefined ? "It" : `\`${rule.command}\``) : `\`${finding.subject}\``;
  const why =
    rule.because ?? finding?.because ?? { deny: "is denied", ask: "is asked about", allow: "is allowed" }[rule.verdict];
  return `${what} ${why}; rule ${number} of ${source}.`;
}
