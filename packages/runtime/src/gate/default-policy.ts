import { defaultPolicySource, policyCategories, type Policy } from "@fairlead/contract";

/**
 * The kinds of calls that are allowed if no rule asks about them, each by a rule that the journal can name. `other` are an
 * agent's own lists, searches for tools and sub-agents, whose calls are read by themselves. What an adapter does not know is
 * incomplete, and asked about.
 */
const allowedKinds = ["run", "edit", "read", "search", "other"] as const;

/** The policy of a user who has written none: edits and tests run, and the categories are asked about. */
export const defaultPolicy: Policy = {
  source: defaultPolicySource,
  rules: [
    ...policyCategories.map((category) => ({ verdict: "ask", category }) as const),
    ...allowedKinds.map((tool) => ({ verdict: "allow", tool }) as const),
  ],
};
