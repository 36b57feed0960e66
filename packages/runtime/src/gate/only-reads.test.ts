import { parseShell } from "@fairlead/kit";
import { expect, test } from "vitest";
import { decide } from "./decide.ts";
import { isReadingCommand } from "./only-reads.ts";
import type { PolicyAction } from "./policy-action.ts";
import { vettedPrograms } from "./vetted-programs.ts";

const workspace = "/repo";
const reads = (action: PolicyAction): boolean => decide([], action).onlyReads;
const run = (command: string): boolean => reads({ kind: "run", command, workspace });

test.each([
  "cat README.md",
  "ls -la src",
  "cat a.txt | grep -n x | sort -u | head -5",
  "cd src && ls",
  "grep -rn 'a b' src 2>/dev/null",
  "find . -name '*.ts' -type f",
  "rg --files",
  "git status",
  "git diff --stat HEAD~1",
  "git log --oneline -5",
  "git branch --show-current",
  "wc -l < a.txt",
  "cat src/../package.json",
  "cat <<<'a text'",
  "cat <<'E'\n$x {a,b} *\nE",
  "cd /repo && git status",
])("%s only reads", (command) => expect(run(command)).toBe(true));

test.each([
  "rm x",
  "touch x",
  "npm test",
  "cat a > b",
  "cat a >> b",
  "cat .env",
  "cat /etc/passwd",
  "cat ../x",
  "cd .. && ls",
  "cat ./../x",
  "cat src/../../../etc/passwd",
  "find ./../.. -name x",
  "head -n1 --x=src/../../y",
  "cd sub && git status",
  "cd -; git status",
  'cat <<<"$x"',
  "cat <<E\n$x\nE",
  "cat $x",
  "ls *",
  "cat a; touch b",
  "cat a | tee b",
  "cat a | xargs ls",
  "sudo ls",
  "X=1 ls",
  "sh -c ls",
  "$(ls)",
  "./cat a",
  "/usr/bin/cat a",
  "sort -o a b",
  "sort -uo a b",
  "sort --output=a b",
  "sort --outp a b",
  "sort -T /x a",
  "sort --compress-program=./x a",
  "tree -o a",
  "find . -delete",
  "find . -exec cat {} +",
  "find . -fprint a",
  "rg --pre ./x a",
  "rg --pre=./x a",
  "rg -z x",
  "file -C -m a",
  "git diff --output=a",
  "git log --ou a",
  "git diff --ext-diff",
  "git show --textconv",
  "git -c core.pager=./x log",
  "git -C sub status",
  "git --git-dir=x log",
  "git branch new",
  "git branch -D old",
  "git grep -Ox y",
  "git commit -m x",
  "git stash",
  "ls() { rm -rf src; }; ls",
  "alias ls=rm; ls",
  "awk '{print}' a",
  "sed -n 1p a",
  "",
])("%s may do more", (command) => expect(run(command)).toBe(false));

// Findings about most of these keep the whole action from being one that only reads. The command itself says no, too.
test.each([
  "timeout 5 ls",
  "ls() { ls; }; ls",
  "wc -l < /etc/passwd",
  "find . -delete",
  "find . -exec cat {} +",
  "find . -ok cat {} +",
  "find . -fprint a",
  "find . -files0-from a",
])("%s is not a command that only reads", (text) => {
  const { commands } = parseShell(text);
  expect(commands.every((command) => isReadingCommand(command, workspace))).toBe(false);
});

test("what a wrapper runs does more than read", () => {
  const { commands } = parseShell("timeout 5 ls");
  const ls = commands.find(({ program }) => program === "ls");
  expect(ls !== undefined && isReadingCommand(ls, workspace)).toBe(false);
  expect(ls).toBeDefined();
});

test("a command that runs in a folder outside the workspace may read anything", () => {
  expect(reads({ kind: "run", command: "ls", folder: "/repo/src", workspace })).toBe(true);
  expect(reads({ kind: "run", command: "ls", folder: "/", workspace })).toBe(false);
  expect(reads({ kind: "run", command: "git status", folder: "/repo", workspace })).toBe(true);
  expect(reads({ kind: "run", command: "git status", folder: "/repo/sub", workspace })).toBe(false);
});

test("tools that read do so in the workspace, and the agent's own lists do nothing else", () => {
  expect(reads({ kind: "read", paths: ["src/a.ts"], workspace })).toBe(true);
  expect(reads({ kind: "search", paths: [], workspace })).toBe(true);
  expect(reads({ kind: "other", workspace })).toBe(true);
  for (const path of [".env", "/etc/passwd", "../x", "~/x", "/tmp/x"])
    expect(reads({ kind: "read", paths: [path], workspace }), path).toBe(false);
  expect(reads({ kind: "read", paths: ["a"], workspace, isIncomplete: true })).toBe(false);
  expect(reads({ kind: "other", workspace, isIncomplete: true })).toBe(false);
  expect(reads({ kind: "edit", paths: ["a"], workspace })).toBe(false);
  expect(reads({ kind: "fetch", hosts: ["localhost"], workspace })).toBe(false);
});

test("what only reads is vetted", () => {
  const programs = ["cat", "ls", "grep", "find", "rg", "file", "sort", "tree", "git"];
  expect(programs.filter((name) => !vettedPrograms.has(name))).toEqual([]);
});
