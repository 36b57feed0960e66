import type { ShellCommand } from "@fairlead/kit";
import { locatePath, normalizePath, pathOf, segmentsOf } from "./locate-path.ts";
import { findOptionValues } from "./separate-arguments.ts";

/** Where the commands of a text may run, besides the workspace itself. */
export interface CommandFolders {
  /** Each with the command that enters it, unless the call begins there. */
  readonly folders: readonly { readonly path: string; readonly command?: number }[];
  readonly leavesWorkspace: boolean;
  /** Set if there are more folders than are listed. */
  readonly isIncomplete: boolean;
}

/** Each change of the folder may double the list, since it is not known whether the ones before it were made. */
const maxFolders = 32;
const folderOptions = ["-C", "--chdir", "--directory", "--cwd", "--prefix", "--dir", "--work-tree"];

/** Finds the folders in which commands may run: that of the call, and all that `cd`, `pushd` and options such as `-C` enter. */
export function findFolders(
  commands: readonly ShellCommand[],
  text: string,
  start: string | undefined,
  workspace: string | undefined,
): CommandFolders {
  const leavesWorkspace =
    (start !== undefined && locatePath(start, workspace) !== "workspace") || leaves(commands, text, workspace);
  const found = new Map<string, { path: string; command?: number }>();
  const enter = (path: string, command?: number): void => {
    const isPossible = leavesWorkspace || locatePath(path, workspace) === "workspace";
    const place = { path: normalizePath(path), ...(command !== undefined && { command }) };
    if (isPossible && !isWorkspace(path, workspace) && !found.has(place.path)) found.set(place.path, place);
  };
  if (start !== undefined) enter(start);
  let isIncomplete = false;
  for (const [at, command] of commands.entries()) {
    for (const target of isIncomplete ? [] : targetsOf(command)) {
      isIncomplete ||= found.size > maxFolders;
      if (!isIncomplete) for (const path of resolveIn([...found.keys()], target)) enter(path, at);
    }
  }
  return { folders: [...found.values()], leavesWorkspace, isIncomplete };
}

/** Lists what a path may mean: as written, and in each of the folders. */
export function resolveIn(folders: readonly string[], path: string): string[] {
  return /^[/~]/.test(path) ? [path] : [path, ...folders.map((folder) => `${folder}/${path}`)];
}

function isWorkspace(path: string, workspace: string | undefined): boolean {
  return locatePath(path, workspace) === "workspace" && segmentsOf(path, workspace).length === 0;
}

function targetsOf({ program, args }: ShellCommand): string[] {
  if (program === "cd" || program === "pushd") {
    const [target] = args.filter(({ value }) => value === "-" || value?.startsWith("-") !== true);
    if (target === undefined) return program === "cd" ? ["~"] : [];
    return target.value === "-" ? [] : [pathOf(target)];
  }
  // `grep -C 3` shows lines.
  const options = program === "sudo" ? ["-D", "--chdir"] : folderOptions;
  return findOptionValues(args, options).filter((value) => value !== "" && !/^\d+$/.test(value));
}

/** Reports whether commands may run in a folder outside the workspace. */
function leaves(commands: readonly ShellCommand[], text: string, workspace: string | undefined): boolean {
  // Only in a plain chain is it certain that one folder was entered before another is left.
  const isChain = /^(?:[^;\n|&()]|&&)*$/.test(text);
  let folder = "";
  for (const command of commands) {
    const { program, args } = command;
    // It runs a program in each folder that is found.
    if (program === "find" && args.some(({ value }) => /^-(?:exec|ok)dir$/.test(value ?? ""))) return true;
    const isWrapper = program === "env" || program === "sudo";
    if (isWrapper && targetsOf(command).some((path) => locatePath(path, workspace) !== "workspace")) return true;
    if (program !== "cd" && program !== "pushd") continue;
    for (const path of targetsOf(command)) {
      folder = isChain && !/^[/~*]/.test(path) ? `${folder}${path}/` : path;
      if (locatePath(folder, workspace) !== "workspace") return true;
    }
  }
  return false;
}
