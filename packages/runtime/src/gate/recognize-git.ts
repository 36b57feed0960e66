import { leadingText, type ShellWord } from "@fairlead/kit";
import type { PolicyCategory } from "@fairlead/contract";
import { nameCommand, type GateContext, type PolicyFinding, type Recognizer } from "./policy-finding.ts";
import { inspectWrite } from "./inspect-path.ts";
import { locatePath, pathOf } from "./locate-path.ts";
import { findOption, hasFlag, separateArguments, splitSubcommand } from "./separate-arguments.ts";
import { vettedPrograms } from "./vetted-programs.ts";

interface GitRule {
  /** The subcommand, and the one below it if there is one. */
  readonly command: string;
  /** Applies only with one of these options. */
  readonly options?: string;
  /** Does not apply with one of these options, alone or in a group with one of the flags. */
  readonly unless?: string;
  readonly flags?: string;
  readonly category: PolicyCategory;
  readonly because: string;
}

const discards = "discards work that is not committed";
const shared = "updates a shared ref";
const moves = "moves a branch";
const loses = "removes commits or branches";
const connects = "connects to a remote repository";

const rules: readonly GitRule[] = [
  ...["push", "send-pack", "subtree push", "svn dcommit"].map((command) => ({
    command,
    category: "merge" as const,
    because: shared,
  })),
  ...["merge", "pull", "rebase", "cherry-pick", "revert", "am", "update-ref"].map((command) => ({
    command,
    category: "merge" as const,
    because: moves,
  })),
  { command: "branch", options: "-f --force -M -m -C --move", category: "merge", because: moves },
  { command: "tag", options: "-f --force", category: "merge", because: "moves a tag" },
  { command: "branch", options: "-d -D --delete", category: "destructive", because: loses },
  { command: "tag", options: "-d --delete", category: "destructive", because: "removes a tag" },
  { command: "reset", options: "--hard --merge --keep", category: "destructive", because: discards },
  {
    command: "clean",
    unless: "-n --dry-run",
    flags: "-f -d -x -X -q --force --quiet",
    category: "destructive",
    because: "removes files that git does not track",
  },
  {
    command: "checkout",
    options: "-f --force -B --ours --theirs --pathspec-from-file",
    category: "destructive",
    because: discards,
  },
  {
    command: "switch",
    options: "-f --force --force-create --discard-changes -C",
    category: "destructive",
    because: discards,
  },
  { command: "restore", unless: "-S --staged", flags: "-q --quiet", category: "destructive", because: discards },
  { command: "restore", options: "-W --worktree", category: "destructive", because: discards },
  { command: "stash drop", category: "destructive", because: discards },
  { command: "stash clear", category: "destructive", because: discards },
  {
    command: "rm",
    options: "-r -f --force",
    unless: "--cached",
    flags: "-r -f -q -n --force --quiet",
    category: "destructive",
    because: "removes files",
  },
  { command: "rm", options: "-r", category: "destructive", because: "removes files" },
  { command: "reflog expire", category: "destructive", because: loses },
  { command: "reflog delete", category: "destructive", because: loses },
  { command: "notes remove", category: "destructive", because: loses },
  ...["gc", "prune", "filter-branch", "filter-repo", "replace", "worktree remove", "worktree prune"].map((command) => ({
    command,
    category: "destructive" as const,
    because: loses,
  })),
  ...["worktree add", "worktree move", "bisect run", "submodule foreach", "difftool", "mergetool", "instaweb"].map(
    (command) => ({
      command,
      category: "unvetted" as const,
      because: "runs programs, or writes outside the workspace",
    }),
  ),
  ...["fetch", "clone", "ls-remote", "remote update", "remote prune", "daemon", "send-email", "request-pull"].map(
    (command) => ({ command, category: "network" as const, because: connects }),
  ),
  { command: "remote set-head", options: "-a --auto", category: "network", because: connects },
  ...["add", "set-url", "set-branches", "remove", "rm", "rename"].map((command) => ({
    command: `remote ${command}`,
    category: "agent-config" as const,
    because: "changes where the repository is pushed",
  })),
  { command: "submodule add", category: "deps_add", because: "adds another repository" },
  { command: "submodule update", category: "deps_add", because: "downloads other repositories" },
  { command: "credential", category: "secrets", because: "prints credentials" },
  { command: "archive", options: "--remote --exec", category: "network", because: connects },
];

/** Settings that `git -c` may set. Many others name a program that git runs. */
const harmlessSettings =
  /^(?:color\.[\w.]+|core\.(?:quotepath|autocrlf|abbrev|whitespace)|user\.(?:name|email)|advice\.\w+|log\.\w+|commit\.gpgsign|init\.defaultbranch|diff\.(?:renames|context|algorithm|noprefix)|grep\.\w+)(?:=|$)/i;
const valued = new Set(vettedPrograms.get("git")?.valued?.split(" "));

/** Finds what a git command does. */
export const recognizeGit: Recognizer = (command, context) => {
  if (command.program !== "git") return [];
  const { before, name: subcommand, after: own } = splitSubcommand(command.args, valued);
  if (subcommand === undefined) return [];
  const operands = [subcommand, ...separateArguments(own).operands];
  const [first, second, ...rest] = operands.map(({ value }) => value);
  const findings: PolicyFinding[] = [];
  const find = (category: PolicyFinding["category"], because: string): void => {
    findings.push({ category, subject: nameCommand({ program: "git", args: operands }), because });
  };
  for (const rule of rules) {
    const [name, below] = rule.command.split(" ");
    if (name !== first || (below !== undefined && below !== second)) continue;
    if (rule.options !== undefined && findOption(own, rule.options.split(" ")) === null) continue;
    if (rule.unless !== undefined && hasFlag(own, rule.unless.split(" "), rule.flags?.split(" ") ?? [])) continue;
    find(rule.category, rule.because);
  }
  if (first === "config" && !isConfigRead(own)) find("agent-config", "changes the configuration of git");
  if (first === "checkout" && isPathCheckout(own)) find("destructive", discards);
  if (first === "remote" && second === "show" && rest.length > 0 && !hasFlag(own, ["-n"], []))
    find("network", connects);
  if (first === "fetch" && [second, ...rest].some((word, at) => isRefspec(word ?? "", at))) find("merge", moves);
  if (first === "mv") findings.push(...inspectMove(operands.slice(1).map(pathOf), context));
  if (first === "symbolic-ref" && rest.length > 0) find("merge", moves);
  if (first === "help" || first === "init" ? findOption(command.args, ["-c", "--config", "--template"]) : false)
    find("unvetted", "can run programs");
  for (const [at, word] of before.entries()) {
    const value = before[at + 1];
    if (word.value === "-c" && !harmlessSettings.test(value?.value ?? "")) {
      find("unvetted", `the setting ${value?.text ?? ""} can make git run a program`);
    }
    if (word.value === "-C" && value !== undefined && locatePath(pathOf(value), context.workspace) !== "workspace") {
      find("unvetted", `works in ${value.text}`);
    }
  }
  return findings;
};

/** The first operand of `git fetch` is a repository, which may be an address with a colon. */
function isRefspec(word: string, at: number): boolean {
  return /^[^/]*:[^/]/.test(word) || (at > 0 && /^\+|:/.test(word));
}

function inspectMove(paths: readonly string[], context: GateContext): PolicyFinding[] {
  const target = paths.at(-1);
  if (target === undefined) return [];
  const moved = paths.slice(0, -1).map((path) => `${target}/${path.split("/").at(-1) ?? ""}`);
  return [target, ...moved].flatMap((path) => inspectWrite(path, "git mv", context)).slice(0, 1);
}

const configFlags =
  "-z --global --local --system --worktree --show-origin --show-scope --name-only --null --includes".split(" ");
const configValued = new Set("-f --file --blob --type --default --value --comment --url".split(" "));

function isConfigRead(own: readonly ShellWord[]): boolean {
  const operands = separateArguments(own, configValued).operands.map(({ value }) => value);
  const isChange =
    findOption(own, [
      "--add",
      "--unset",
      "--unset-all",
      "--replace-all",
      "--rename-section",
      "--remove-section",
      "-e",
      "--edit",
    ]) !== null;
  if (isChange || operands[0] === "set" || operands[0] === "unset" || operands[0] === "edit") return false;
  if (hasFlag(own, ["--get", "--get-all", "--get-regexp", "--list", "-l", "--get-urlmatch"], configFlags)) return true;
  return operands[0] === "get" || operands[0] === "list" || operands.length <= 1;
}

/** Names that are folders far more often than branches. */
const usualFolders = /^(?:src|lib|tests?|apps?|packages|scripts|public)(?:\/|$)/;

/** `git checkout FILE` discards the changes of the file; `git checkout BRANCH` keeps them. */
function isPathCheckout(own: readonly ShellWord[]): boolean {
  if (findOption(own, ["-b", "--orphan", "--track", "-t"]) !== null) return false;
  const words = own.map(leadingText);
  if (words.includes("--") || words.filter((word) => !word.startsWith("-")).length > 1) return true;
  return words.some(
    (word) => word === "" || word.endsWith("/") || /\.[a-zA-Z]{1,4}$|^[.:]|\*/.test(word) || usualFolders.test(word),
  );
}
