import { expect, test } from "vitest";
import { expandPolicySpec, PolicySpec } from "./policy-spec.ts";
import { Policy } from "./policy.ts";

test("a short form expands to rules of the full form", () => {
  const rules = expandPolicySpec(
    PolicySpec.parse({ shellAllowlist: ["just test"], shellDenylist: ["git push"], requiresApprovalFor: ["merge"] }),
  );
  expect(rules).toEqual([
    { verdict: "deny", command: "git push" },
    { verdict: "ask", category: "merge" },
    { verdict: "ask", category: "network" },
    { verdict: "allow", command: "just test" },
  ]);
  expect(Policy.parse({ source: "test", rules }).rules).toEqual(rules);
});

test("an open network is not asked about", () => {
  expect(expandPolicySpec(PolicySpec.parse({ networkMode: "open" }))).toEqual([]);
});

test("a misspelled field is refused, because the rule would apply to everything", () => {
  expect(Policy.safeParse({ source: "test", rules: [{ verdict: "allow", comand: "ls" }] }).success).toBe(false);
});
