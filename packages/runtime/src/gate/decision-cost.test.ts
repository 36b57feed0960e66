import { expect, test } from "vitest";
import { decide } from "./decide.ts";
import { defaultPolicy } from "./default-policy.ts";
import { inspectAction } from "./inspect-action.ts";
import type { PolicyAction } from "./policy-action.ts";

const workspace = "/repo";
const action = (command: string): PolicyAction => ({ kind: "run", command, workspace });
const folders = (count: number): string => Array.from({ length: count }, (_, at) => `cd d${at};`).join("");

test.each([
  ["many commands", "a;".repeat(20_000)],
  ["many words", `cat ${"a ".repeat(40_000)}`],
  ["many words in many folders", folders(5) + "cat x y z;".repeat(190)],
  ["many folders", "cd a;".repeat(800)],
  ["many folders and commands", folders(8) + "cat x y z;".repeat(500)],
])("of %s, few are examined, and a person is asked", (_, command) => {
  let examined = 0;
  const { paths, findings } = inspectAction(action(command), () => (examined += 1) > 0);
  expect(examined).toBeLessThanOrEqual(200);
  // Each word as it is written, and few of them in each of the folders.
  expect(paths.length).toBeLessThan(command.length / 2 + 4000);
  expect(findings.map(({ category }) => category)).toContain("undecidable");
  const { verdict, reason } = decide([defaultPolicy], action(command));
  expect({ verdict, reason }).toMatchObject({ verdict: "ask", reason: expect.stringMatching(/too (?:long|often)/) });
});

test("a denial holds beyond what is examined", () => {
  const deny = { source: "own", rules: [{ verdict: "deny" as const, command: "frob" }] };
  expect(decide([deny, defaultPolicy], action(`${"ls;".repeat(300)} frob`)).verdict).toBe("deny");
});

test("a grant for another program is not compared with each command", () => {
  let reads = 0;
  const categories = ["unvetted" as const];
  const grants = Array.from({ length: 256 }, (_, at) => ({
    categories,
    get command() {
      reads += 1;
      return `b${at} lint`;
    },
  }));
  const policy = { source: "own", rules: [], grants };
  expect(decide([policy, defaultPolicy], action("a;".repeat(190))).verdict).toBe("ask");
  expect(reads).toBeLessThan(10 * grants.length);
});

test.each([
  ["a long script", "echo a\nnpm test -- a b c\n".repeat(90)],
  ["many files", `git add ${"src/x.ts ".repeat(1500)}`],
  ["a file with many lines", `cat > a.txt <<'END'\n${"cd x; a b c\n".repeat(5000)}END`],
  ["some folders", `cd a && cd b; cd c; ${"cat x y z;".repeat(100)}`],
])("%s runs", (_, command) => expect(decide([defaultPolicy], action(command)).verdict).toBe("allow"));
