import { expect, test } from "vitest";
import { noPaint } from "../paint.ts";
import { runRequestLines } from "./run-request-lines.ts";

const options = { paint: noPaint, columns: Infinity };
const input = {
  goal: "Greet",
  tree: "t1",
  changes: { files: 3, added: 4, removed: 1 },
  files: ["a.ts", "b\n\u001b[2J.ts"],
  findings: [{ path: "a.ts", line: 3, what: "odd name", severity: "note" }],
  acceptance: [{ command: "npm test", passed: true }],
  usd: 1.5,
};

test("a person reads the files, the findings and the commands of a run", () => {
  expect(runRequestLines({ input }, options)).toEqual([
    "    goal: Greet",
    "    3 files, +4 −1, $1.50 so far, tree t1",
    "      a.ts",
    expect.stringMatching(/^ {6}b\\n\S+\.ts$/),
    "      … and 1 more",
    "    note: a.ts:3: odd name",
    "    passed: npm test",
  ]);
});

test("what is not known is shown as it is", () => {
  const bare = { goal: "Greet", tree: "t1", findings: [], acceptance: [], more: 1 };
  expect(runRequestLines({ input: bare }, options)).toEqual([
    "    goal: Greet",
    "    more: 1",
    "    Changes, tree t1",
    "    The reviewer approved it without findings.",
    "    No command was run: the plan has no acceptance commands.",
  ]);
  expect(runRequestLines({ input: { ...input, findings: [7] } }, options)).toContain("    finding: 7");
});
