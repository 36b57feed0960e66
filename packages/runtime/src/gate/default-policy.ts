import { policyCategories, type Policy } from "@fairlead/contract";

/** The kinds of calls that are allowed if no rule asks about them, each by a rule that the journal can name. */
const allowedKinds = ["run", "edit", "read", "search"] as const;

/** The policy of a user who has written none: edits and tests run, and the categories are asked about. */
export const defaultPolicy: Policy = {
  source: "the default policy",
  rules: [
    ...policyCategories.map((category) => ({ verdict: "ask", category }) as const),
    ...allowedKinds.map((tool) => ({ verdict: "allow", tool }) as const),
  ],
};
