import type { Sandbox, SessionPolicy } from "@fairlead/contract";
import { expect, test } from "vitest";
import { assertSandboxWithin, withParentPolicy } from "./parent-bounds.ts";

const sandbox = (changes: Partial<Sandbox> = {}): Sandbox => ({
  kind: "bwrap",
  workspace: "write",
  network: "gate",
  writes: [],
  protects: [],
  hides: [],
  shows: [],
  ...changes,
});

test.each<[Partial<Sandbox>, Partial<Sandbox>, string | null]>([
  [{}, {}, null],
  [{ workspace: "read", network: "none" }, {}, null],
  [{}, { workspace: "read" }, "workspace write instead of read"],
  [{ network: "open" }, {}, "network open instead of gate"],
  [{ network: "gate" }, { network: "none" }, "network gate instead of none"],
  [{ kind: "none", network: "open" }, {}, "kind none instead of bwrap"],
  [{ network: "open" }, { kind: "none", network: "open" }, null],
])("a sandbox %j below one of %j: %s", (own, parent, problem) => {
  const check = (): void => assertSandboxWithin(sandbox(own), sandbox(parent));
  if (problem === null) check();
  else expect(check).toThrow(problem);
});

const policy = (changes: Partial<SessionPolicy>): SessionPolicy => ({ policies: [], unattended: "wait", ...changes });

test("what the parent's policy denies and asks about applies, and what it allows does not", () => {
  const parent = policy({
    policies: [
      {
        source: "a",
        rules: [
          { verdict: "allow", tool: "x" },
          { verdict: "deny", tool: "y" },
        ],
      },
      { source: "b", rules: [{ verdict: "allow", tool: "z" }], grants: [] },
    ],
    unattended: "deny",
    deadlineSeconds: 60,
  });
  const common = { source: "c", rules: [{ verdict: "ask" as const, tool: "w" }] };
  parent.policies.push(common);
  const own = policy({ policies: [common], deadlineSeconds: 90 });
  const joined = withParentPolicy(own, parent);
  expect(joined).toMatchObject({ unattended: "deny", deadlineSeconds: 60 });
  expect(joined?.policies.map(({ source, rules }) => [source, rules.map(({ verdict }) => verdict)])).toEqual([
    ["c", ["ask"]],
    ["a, by the parent", ["deny"]],
  ]);
  expect(withParentPolicy(own, undefined)).toBe(own);
  expect(withParentPolicy(undefined, undefined)).toBeUndefined();
  expect(withParentPolicy(undefined, policy({ deadlineSeconds: 5 }))).toMatchObject({ deadlineSeconds: 5 });
});
