import type { ShellCommand } from "@fairlead/kit";
import type { Inspection } from "./inspect-action.ts";
import { leadsOutside } from "./inspect-command.ts";
import { isHarmlessDevice, locatePath, pathOf } from "./locate-path.ts";
import type { PolicyAction } from "./policy-action.ts";

/** Programs that only read and print, whatever their options are. Each is also a vetted program. */
const readers: ReadonlySet<string> = new Set(
  "cat head tail wc ls pwd cd echo printf true false test [ grep egrep fgrep cut nl tac rev tr comm cmp diff od hexdump stat du df basename dirname realpath readlink md5sum sha1sum sha256sum sha512sum which whoami id uname".split(
    " ",
  ),
);

/** Programs that only read without these options. Long options may be abbreviated and have a value: they match by beginning. */
const readersUnless: ReadonlyMap<string, RegExp> = new Map([
  ["rg", /^-[^-]*z|^--(?:pre|hostname|search)/],
  ["file", /^-[^-]*[CmzZ]|^--(?:c|m|u)/],
  ["sort", /^-[^-]*[oT]|^--(?:o|t|c|f)/],
  ["tree", /^-[^-]*[oR]|^--o/],
  ["find", /^-(?:delete|exec|execdir|ok|okdir|fprint|fprint0|fprintf|fls|files0-from)$/],
]);

/** Subcommands of git that only read, and the options with which they write or run programs. */
const gitReaders: ReadonlySet<string> = new Set(
  "status diff log show rev-parse blame ls-files ls-tree describe shortlog merge-base rev-list name-rev".split(" "),
);
const gitWrites = /^-[^-]*[oO]|^--(?:ou|ext|textconv|filters)/;
const branchLists = /^(?:-a|-r|-v|-vv|--all|--remotes|--list|--show-current)$/;

/**
 * Reports whether an action only reads in the workspace, or is the agent's own bookkeeping, and nothing in it deserves a
 * question. What is not understood does not.
 */
export function onlyReads(action: PolicyAction, { commands, findings, leavesWorkspace, folders }: Inspection): boolean {
  if (findings.length > 0) return false;
  const { workspace } = action;
  switch (action.kind) {
    case "read":
    case "search":
      return action.paths.every((path) => locatePath(path, workspace) === "workspace");
    case "run":
      return (
        !leavesWorkspace &&
        commands.length > 0 &&
        commands.every((command) => isReadingCommand(command, workspace)) &&
        (commands.every(({ program }) => program !== "git") || staysInWorkspace(commands, folders))
      );
    case "other":
      return true;
    default:
      return false;
  }
}

/** Another folder may itself be a repository, whose configuration names programs that git runs. */
function staysInWorkspace(commands: readonly ShellCommand[], folders: readonly string[]): boolean {
  const goesBack = commands.some(({ program, args }) => program === "cd" && args.some(({ value }) => value === "-"));
  return folders.length === 0 && !goesBack;
}

/** Reports whether a command can neither write nor run another program. */
export function isReadingCommand(command: ShellCommand, workspace: string | undefined): boolean {
  const { program, path, args, wrappers, assignments, isFunction, redirects, inputWords } = command;
  if (program === null || path !== program || isFunction || wrappers.length > 0 || assignments.length > 0) return false;
  const values = args.map(({ value }) => value);
  // A computed word may become an option, or the content of a variable.
  if (!values.every((value) => value !== null) || inputWords.some(({ value }) => value === null)) return false;
  if (args.some((word) => leadsOutside(pathOf(word), { workspace }))) return false;
  const opened = redirects.map(({ direction, path: file }) => ({ direction, name: pathOf(file) }));
  const isHarmless = ({ direction, name }: (typeof opened)[number]): boolean =>
    isHarmlessDevice(name) || (direction === "read" && locatePath(name, workspace) === "workspace");
  if (!opened.every(isHarmless)) return false;
  if (program === "git") return isReadingGit(values);
  const unless = readersUnless.get(program);
  return unless === undefined ? readers.has(program) : !values.some((value) => unless.test(value));
}

/** Options before the subcommand can name another repository, or a program. */
function isReadingGit([subcommand = "", ...rest]: readonly string[]): boolean {
  if (subcommand === "branch") return rest.every((value) => branchLists.test(value));
  return gitReaders.has(subcommand) && !rest.some((value) => gitWrites.test(value));
}
