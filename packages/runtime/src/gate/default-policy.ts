import { policyCategories, type Policy } from "@fairlead/contract";

/** The policy of a user who has written none: edits and tests run, and the categories are asked about. */
export const defaultPolicy: Policy = {
  source: "the default policy",
  rules: policyCategories.map((category) => ({ verdict: "ask", category })),
};
