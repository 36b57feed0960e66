import { parseShell, type ShellCommand } from "@fairlead/kit";
import type { PolicyFinding, GateContext } from "./policy-finding.ts";
import { inspectCommand } from "./inspect-command.ts";
import { inspectRead, inspectWrite } from "./inspect-path.ts";
import { locatePath, pathOf } from "./locate-path.ts";
import type { PolicyAction } from "./policy-action.ts";

/** What an action does, as far as that can be known. */
export interface Inspection {
  readonly commands: readonly ShellCommand[];
  readonly paths: readonly string[];
  readonly findings: readonly PolicyFinding[];
  /** Whether commands may run in a folder outside the workspace. */
  readonly leavesWorkspace: boolean;
}

/** Inspects an action. `isAllowed` tells whether a rule makes the program of a command a vetted one. */
export function inspectAction(action: PolicyAction, isAllowed: (command: ShellCommand) => boolean): Inspection {
  const inspection = inspectKnown(action, isAllowed);
  if (action.isIncomplete !== true) return inspection;
  const because = "the agent does not tell all of what it does";
  const unknown: PolicyFinding = { category: "undecidable", subject: "the call", because };
  return { ...inspection, findings: [...inspection.findings, unknown] };
}

function inspectKnown(action: PolicyAction, isAllowed: (command: ShellCommand) => boolean): Inspection {
  const { workspace, agentFiles = [] } = action;
  const context: GateContext = { workspace, agentFiles, leavesWorkspace: false };
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
      return { ...nothing, paths: action.paths, findings: action.paths.flatMap((path) => inspectRead(path, path)) };
    case "fetch":
      return { ...nothing, findings: (action.hosts.length === 0 ? ["it"] : action.hosts).map(reachesHost) };
    default:
      return nothing;
  }
}

const nothing: Inspection = { commands: [], paths: [], findings: [], leavesWorkspace: false };

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
  const startsOutside = folder !== undefined && locatePath(folder, context.workspace) !== "workspace";
  const leavesWorkspace = startsOutside || leaves(commands, text, context.workspace);
  const findings = commands.flatMap((command, at) =>
    inspectCommand(command, { ...context, leavesWorkspace }, isAllowed).map((finding) => ({ ...finding, command: at })),
  );
  const undecidable = doubts.map(({ reason }): PolicyFinding => ({
    category: "undecidable",
    subject: "the command",
    because: reason,
  }));
  return { commands, paths: pathsOf(commands), findings: [...findings, ...undecidable], leavesWorkspace };
}

/** Returns the part of an inspection that is about some of its commands. */
export function inspectionOf(whole: Inspection, isIncluded: (at: number) => boolean): Inspection {
  const commands = whole.commands.filter((_command, at) => isIncluded(at));
  const findings = whole.findings.filter(({ command }) => command === undefined || isIncluded(command));
  return { ...whole, commands, findings, paths: pathsOf(commands) };
}

function pathsOf(commands: readonly ShellCommand[]): string[] {
  return commands.flatMap(({ redirects, args }) => [...redirects.map(({ path }) => path), ...args].map(pathOf));
}

/** Reports whether commands may run in a folder outside the workspace. */
function leaves(commands: readonly ShellCommand[], text: string, workspace: string | undefined): boolean {
  // Only in a plain chain is it certain that one folder was entered before another is left.
  const isChain = /^(?:[^;\n|&()]|&&)*$/.test(text);
  let folder = "";
  for (const { program, args } of commands) {
    if (program !== "cd" && program !== "pushd") continue;
    const [target] = args.filter(({ value }) => value === "-" || value?.startsWith("-") !== true);
    if (target === undefined && program === "cd") return true;
    if (target === undefined || target.value === "-") continue;
    const path = pathOf(target);
    folder = isChain && !/^[/~*]/.test(path) ? `${folder}${path}/` : path;
    if (locatePath(folder, workspace) !== "workspace") return true;
  }
  return false;
}
