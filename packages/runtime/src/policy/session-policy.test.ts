import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PolicyRule } from "@fairlead/contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Home } from "../home.ts";
import { inheritedPolicy, joinPolicies, type PolicySources } from "./session-policy.ts";

let folder: string;
let home: Home;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "policy-"));
  home = new Home(join(folder, "h"));
  mkdirSync(home.folder);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const joined = (sources: Partial<PolicySources> = {}): ReturnType<typeof joinPolicies> =>
  joinPolicies({ home, workspace: folder, hasDefault: false, mode: "full-auto", trustsFile: () => false, ...sources });
const sourcesOf = (sources?: Partial<PolicySources>): string[] =>
  joined(sources)?.policies.map((one) => one.source) ?? [];
const writeUserPolicy = (text: string): void => writeFileSync(home.policyFile, text);
const writeWorkspaceFile = (text: string): void => writeFileSync(join(folder, "fairlead.yaml"), text);
const deny: PolicyRule = { verdict: "deny", command: "git push" };

test("a session without any source has no policy", () => {
  expect(joined()).toBeUndefined();
  expect(sourcesOf({ hasDefault: true })).toEqual(["the default policy"]);
});

test("all sources are joined, and the user may leave the default out", () => {
  writeUserPolicy("rules:\n  - { verdict: deny, command: git push }\n");
  writeWorkspaceFile("policy:\n  rules:\n    - { verdict: ask, path: 'docs/**' }\n");
  const requested = { shellDenylist: ["npm publish"], networkMode: "open" } as const;
  const policy = joined({ hasDefault: true, requested: { ...requested, shellDenylist: ["npm publish"] } });
  expect(policy?.policies.map(({ source }) => source)).toEqual([
    "policy.yaml",
    "fairlead.yaml",
    "the start request",
    "the default policy",
  ]);
  expect(policy?.policies[2]?.rules).toEqual([{ verdict: "deny", command: "npm publish" }]);
  expect(policy).toMatchObject({ unattended: "wait" });
  writeUserPolicy("default: false\n");
  expect(sourcesOf({ hasDefault: true })).toEqual(["fairlead.yaml"]);
});

test("what an untrusted workspace allows is ignored and reported, and the rest applies", () => {
  writeWorkspaceFile(
    "policy:\n  rules:\n    - { verdict: allow, command: frob }\n    - { verdict: deny, command: git push }\n  grants:\n    - { command: frob test }\n",
  );
  const untrusted = joined();
  expect(untrusted?.policies).toEqual([{ source: "fairlead.yaml", rules: [deny], numbers: [2] }]);
  expect(untrusted?.notices).toEqual([expect.stringContaining("fairlead trust")]);
  const trusted = joined({ trustsFile: ({ text }) => text.includes("frob") });
  expect(trusted?.policies[0]).toMatchObject({
    rules: [{ verdict: "allow" }, deny],
    grants: [{ command: "frob test" }],
  });
  expect(trusted).not.toHaveProperty("notices");
});

test("a caller who may not approve gets no rule that allows, whatever its source", () => {
  writeUserPolicy("rules:\n  - { verdict: allow, command: frob }\ngrants:\n  - { command: frob test }\n");
  const policy = joined({ hasDefault: true, approvalsRequired: true, requested: { rules: [deny] } });
  expect(policy?.policies.map(({ source }) => source)).toEqual(["the start request", "the default policy"]);
  expect(policy?.policies.flatMap(({ rules }) => rules).filter(({ verdict }) => verdict === "allow")).toEqual([]);
  expect(joined({ hasDefault: true })?.policies.flatMap(({ rules }) => rules.map(({ verdict }) => verdict))).toContain(
    "allow",
  ); // control
});

test("the request decides about deadline and unattended, then the user, then the workspace", () => {
  writeWorkspaceFile("policy: { deadlineSeconds: 1, unattended: deny }\n");
  expect(joined()).toMatchObject({ deadlineSeconds: 1, unattended: "deny", policies: [] });
  writeUserPolicy("deadlineSeconds: 2\nunattended: wait\n");
  expect(joined()).toMatchObject({ deadlineSeconds: 2, unattended: "wait" });
  expect(joined({ requested: { deadlineSeconds: 3 } })).toMatchObject({ deadlineSeconds: 3, unattended: "wait" });
});

test("a file that is not valid starts no session", () => {
  writeUserPolicy("rules:\n  - { verdict: allow, comand: ls }\n");
  expect(() => joined()).toThrow(/policy\.yaml is not valid. Line 2/);
  writeUserPolicy("");
  writeWorkspaceFile("policy: { rules: 1 }\n");
  expect(() => joined()).toThrow(/fairlead\.yaml cannot be used/);
});

test("a continuation keeps what was asked for, and reads the files again", () => {
  writeUserPolicy("rules:\n  - { verdict: deny, command: git push }\n");
  const requested = { rules: [{ verdict: "ask" as const, tool: "run" }], deadlineSeconds: 5 };
  const policy = joined({ requested, hasDefault: true });
  writeUserPolicy("rules:\n  - { verdict: deny, command: npm publish }\n");
  const next = joined({ requested: inheritedPolicy({ policy }).policy, hasDefault: true });
  expect(next).toMatchObject({ deadlineSeconds: 5, unattended: "wait" });
  expect(next?.policies.slice(0, 2)).toEqual([
    { source: "policy.yaml", rules: [{ verdict: "deny", command: "npm publish" }] },
    { source: "the start request", rules: requested.rules, grants: [] },
  ]);
  expect(inheritedPolicy({})).toEqual({});
});

test("what the default policy allows counts in full-auto only, and the user's rules in every mode", () => {
  writeUserPolicy("rules:\n  - { verdict: allow, command: frob }\n");
  const allowing = (mode: PolicySources["mode"]): string[] =>
    joined({ hasDefault: true, mode })?.policies.flatMap((one) =>
      one.rules.some(({ verdict }) => verdict === "allow") ? one.source : [],
    ) ?? [];
  expect(allowing("full-auto")).toEqual(["policy.yaml", "the default policy"]);
  for (const mode of ["default", "accept-edits", "plan"] as const) expect(allowing(mode)).toEqual(["policy.yaml"]);
});

test("the rooms of an untrusted file do not extend what the user allows", () => {
  writeUserPolicy(
    "rules:\n  - { verdict: allow, tool: edit, room: docs }\n  - { verdict: deny, tool: edit, room: web }\n",
  );
  writeWorkspaceFile("rooms: { docs: ., web: packages/web }\n");
  const untrusted = joined();
  expect(untrusted?.policies).toMatchObject([{ rules: [{ verdict: "deny" }], numbers: [2] }]);
  expect(untrusted?.notices).toEqual([expect.stringContaining("in a room are ignored")]);
  expect(joined({ trustsFile: () => true })?.policies[0]?.rules).toHaveLength(2);
});

test("a request with a rule about an unknown room is refused, and so is such a file", () => {
  writeWorkspaceFile("rooms: { docs: docs }\n");
  const requested = { rules: [{ verdict: "deny", room: "doc" }] } satisfies PolicySources["requested"];
  expect(() => joined({ requested })).toThrow('There is no room "doc". Rooms of fairlead.yaml: docs.');
  writeUserPolicy("rules:\n  - { verdict: deny, room: elsewhere }\n");
  expect(sourcesOf()).toEqual(["policy.yaml"]);
  writeWorkspaceFile("policy: { rules: [{ verdict: deny, room: doc }] }\nrooms: { docs: docs }\n");
  expect(() => joined()).toThrow(/Line 1: .*`rooms` has no "doc"/);
});
