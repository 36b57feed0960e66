import { parseShell, type ShellCommand } from "@fairlead/kit";
import { findFolders, resolveIn } from "./command-folders.ts";
import type { PolicyFinding, GateContext } from "./policy-finding.ts";
import { inspectCommand } from "./inspect-command.ts";
import { inspectFolder, inspectRead, inspectWrite } from "./inspect-path.ts";
import { pathOf } from "./locate-path.ts";
import type { PolicyAction } from "./policy-action.ts";

/** What an action does, as far as that can be known. */
export interface Inspection {
  readonly commands: readonly ShellCommand[];
  readonly paths: readonly string[];
  readonly findings: readonly PolicyFinding[];
  /** Whether commands may run in a folder outside the workspace. */
  readonly leavesWorkspace: boolean;
  /** The folders in which commands may run, besides the workspace. */
  readonly folders: readonly string[];
}

/** A decision holds up everything else. What has more commands, or more words in more folders, a person is asked about. */
const maxCommands = 200;
const maxPlaces = 3000;

/** Inspects an action. `isAllowed` tells whether a rule makes the program of a command a vetted one. */
export function inspectAction(action: PolicyAction, isAllowed: (command: ShellCommand) => boolean): Inspection {
  const inspection = inspectKnown(action, isAllowed);
  if (action.isIncomplete !== true) return inspection;
  const because = "the agent does not tell all of what it does";
  const unknown: PolicyFinding = { category: "undecidable", subject: "the call", because };
  return { ...inspection, findings: [...inspection.findings, unknown] };
}

function inspectKnown(action: PolicyAction, isAllowed: (command: ShellCommand) => boolean): Inspection {
  const { workspace, home, agentFiles = [] } = action;
  const context: GateContext = { workspace, home, agentFiles, leavesWorkspace: false, folders: [] };
  switch (action.kind) {
    case "run":
      return inspectText(action, context, isAllowed);
    case "edit":
      return {
        ...nothing,
        paths: action.paths,
        findings: action.paths.flatMap((path) => inspectWrite(path, path, context)),
      };
    case "read":
    case "search":
      return {
        ...nothing,
        paths: action.paths,
        findings: action.paths.flatMap((path) => inspectRead(path, path, context)),
      };
    case "fetch":
      return { ...nothing, findings: (action.hosts.length === 0 ? ["it"] : action.hosts).map(reachesHost) };
    default:
      return nothing;
  }
}

const nothing: Inspection = { commands: [], paths: [], findings: [], leavesWorkspace: false, folders: [] };

const reachesHost = (subject: string): PolicyFinding => ({
  category: "network",
  subject,
  because: subject === "it" ? "reaches a host that is not known" : "is another host",
});

function inspectText(
  { command: text, folder }: Extract<PolicyAction, { kind: "run" }>,
  context: GateContext,
  isAllowed: (command: ShellCommand) => boolean,
): Inspection {
  const { commands, doubts } = parseShell(text);
  const places = findFolders(commands.slice(0, maxCommands), text, folder, context.workspace);
  const folders = places.folders.map(({ path }) => path);
  const whole: GateContext = { ...context, leavesWorkspace: places.leavesWorkspace, folders };
  const examined = withinLimit(commands, folders.length);
  const findings = examined.flatMap((command, at) =>
    inspectCommand(command, whole, isAllowed).map((finding) => ({ ...finding, command: at })),
  );
  for (const { path, command } of places.folders) {
    const found = inspectFolder(path, whole);
    findings.push(...found.map((finding) => ({ ...finding, command: command ?? 0 })));
  }
  const reasons = doubts.map(({ reason }) => reason);
  if (places.isIncomplete) reasons.push("it changes its folder too often");
  const isTooLong = examined.length < commands.length;
  if (isTooLong) reasons.push("it is too long to be read");
  const undecidable = reasons.map((because): PolicyFinding => ({
    category: "undecidable",
    subject: "the command",
    because,
  }));
  return {
    commands,
    // Of the rest, only what is written counts.
    paths: [...pathsOf(examined, folders), ...(isTooLong ? pathsOf(commands.slice(examined.length), []) : [])],
    findings: [...findings, ...undecidable],
    leavesWorkspace: places.leavesWorkspace,
    folders,
  };
}

/** Returns the first commands, as many as are examined: each of their words may be a path in each of the folders. */
function withinLimit(commands: readonly ShellCommand[], folders: number): readonly ShellCommand[] {
  let places = 0;
  const end = commands.findIndex(({ args, redirects, assignments }, at) => {
    places += (args.length + redirects.length + assignments.length) * (folders + 1);
    return at >= maxCommands || places > maxPlaces;
  });
  return end === -1 ? commands : commands.slice(0, end);
}

/** Returns the part of an inspection that is about some of its commands. */
export function inspectionOf(whole: Inspection, isIncluded: (at: number) => boolean): Inspection {
  const commands = whole.commands.filter((_command, at) => isIncluded(at));
  const findings = whole.findings.filter(({ command }) => command === undefined || isIncluded(command));
  return { ...whole, commands, findings, paths: pathsOf(commands, whole.folders) };
}

/** Lists what a rule may be about: what the commands name, in each folder in which it may be, and what is in the folders. */
function pathsOf(commands: readonly ShellCommand[], folders: readonly string[]): string[] {
  const words = commands.flatMap(({ redirects, args }) => [...redirects.map(({ path }) => path), ...args].map(pathOf));
  // `--file=x` and `-fx` name a path after other text.
  const values = words.flatMap((word) => (word.startsWith("-") ? [word.replace(/^-[^-=]|^[^=]*=/, "")] : []));
  const named = [...words, ...values.filter((value) => value !== "" && !value.startsWith("-"))];
  return [...named.flatMap((path) => resolveIn(folders, path)), ...folders.map((folder) => `${folder}/any`)];
}
