import { z } from "zod";
import type { PolicyRule } from "./policy.ts";

const Commands = z.array(z.string().min(1).max(1000)).max(500).default([]);

/** The short form of a policy, for callers that need no rules of their own. */
export const PolicySpec = z.strictObject({
  /** Commands whose programs are vetted. */
  shellAllowlist: Commands,
  /** Commands that are denied. */
  shellDenylist: Commands,
  requiresApprovalFor: z.array(z.enum(["merge", "deps_add", "secrets", "deploy"])).default([]),
  /** `restricted`: uses of the network are asked about. */
  networkMode: z.enum(["restricted", "open"]).default("restricted"),
});
export type PolicySpec = z.infer<typeof PolicySpec>;

/** Returns the rules that a short form stands for. */
export function expandPolicySpec(spec: PolicySpec): PolicyRule[] {
  return [
    ...spec.shellDenylist.map((command): PolicyRule => ({ verdict: "deny", command })),
    ...spec.requiresApprovalFor.map((category): PolicyRule => ({ verdict: "ask", category })),
    ...(spec.networkMode === "restricted" ? [{ verdict: "ask", category: "network" } satisfies PolicyRule] : []),
    ...spec.shellAllowlist.map((command): PolicyRule => ({ verdict: "allow", command })),
  ];
}
