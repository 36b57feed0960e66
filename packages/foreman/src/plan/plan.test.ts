import { readFileSync } from "node:fs";
import { Plan } from "@fairlead/api";
import { expect, test } from "vitest";
import { formatPlan } from "./format-plan.ts";
import { parsePlan } from "./parse-plan.ts";

const minimal = `goal: Add a parser
tasks:
  - id: parser
    brief: Write it
reviewer: { agent: other }
forge: { kind: git }
`;

test("parses a plan, with durations as people write them", () => {
  const plan = parsePlan(
    `${minimal}acceptance:\n  - npm test\n  - command: npm run slow\n    timeout: 1.5h\napproval: { deadline: 3d }\nsetup: [{ command: npm ci, timeout: 5000 }]\n`,
  );
  expect(plan.acceptance).toEqual([
    { command: "npm test", timeout: 600_000 },
    { command: "npm run slow", timeout: 5_400_000 },
  ]);
  expect(plan.approval).toEqual({ deadline: 3 * 24 * 3_600_000 });
  expect(plan.setup).toEqual([{ command: "npm ci", timeout: 5000 }]);
  expect(plan).toMatchObject({ rounds: 2, setupNetwork: "none", constraints: [], forge: { remote: "origin" } });
});

test.each([
  ["goal: [", "Line 1:"],
  ["goal: x\ngoal: y", "Line 2: The key occurs twice."],
  [
    `${minimal}acceptance:\n  - command: x\n    timeout: soon\n`,
    "Line 9: The value of acceptance.0.timeout is not valid",
  ],
  [`${minimal}approval: { deadline: never }\n`, "Line 7: The value of approval.deadline is not valid"],
  [`${minimal}colour: red\n`, 'Line 7: There is no key "colour"'],
  [minimal.replace("id: parser", "id: Parser 1"), "Line 3: The value of tasks.0.id is not valid: An id starts with"],
  [minimal.replace("kind: git", "kind: carrier"), "forge"],
  ["", "goal is missing. Required: goal, tasks, reviewer, forge."],
  [minimal.replace(/^reviewer:.*$/m, ""), "reviewer is missing. Required: goal, tasks, reviewer, forge."],
  [minimal.replace(/kind: git/, "remote: x"), "forge.kind is missing."],
  [
    minimal.replace("id: parser", "id: parser\n    breif: x"),
    'There is no key "breif". Keys: id, brief, after, builder.',
  ],
  [`${minimal}approval: { dead: 1d }\n`, 'There is no key "dead". Keys: deadline.'],
  [`${minimal}acceptance:\n  - { command: x, time: 1 }\n`, 'There is no key "time". Keys: command, timeout.'],
])("refuses %j with the line and the field", (text, message) => {
  expect(() => parsePlan(text)).toThrow(message);
  expect(() => parsePlan(text)).not.toThrow("..");
});

test("formats a plan so that it can be parsed again", () => {
  const plan = Plan.parse({
    goal: "Add a parser\nwith two lines: and a colon",
    constraints: ["No new dependency."],
    acceptance: [
      { command: "npm test", timeout: 600_000 },
      { command: "slow # test", timeout: 7_200_000 },
    ],
    tasks: [
      { id: "parser", brief: "Write it: all" },
      { id: "tests", brief: "Test it", after: ["parser"], builder: { agent: "one" } },
    ],
    reviewer: { vendor: "Other" },
    limit: { usd: 5 },
    approval: { deadline: 86_400_000 },
    forge: { kind: "git", remote: "origin" },
  });
  const text = formatPlan(plan);
  expect(parsePlan(text)).toEqual(plan);
  expect(text).toContain("# Commands that must exit with 0 before the work is reviewed.\nacceptance:");
  expect(text).toContain("deadline: 1d");
});

test("parses the example of the documentation", () => {
  const page = readFileSync(new URL("../../../../docs/use/foreman.md", import.meta.url), "utf8");
  const [, example = ""] = /```yaml no-check\n(goal: [^]*?)```/.exec(page) ?? [];
  expect(parsePlan(example).tasks.map(({ id }) => id)).toEqual(["parser", "page"]);
});
