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
}

/** Inspects an action. `isAllowed` tells whether a rule makes the program of a command a vetted one. */
export function inspectAction(action: PolicyAction, isAllowed: (command: ShellCommand) => boolean): Inspection {
  const { workspace, agentFiles = [] } = action;
  const context: GateContext = { workspace, agentFiles, leavesWorkspace: false };
  switch (action.kind) {
    case "run":
      return inspectText(action.command, context, isAllowed);
    case "edit":
      return {
        commands: [],
        paths: action.paths,
        findings: action.paths.flatMap((path) => inspectWrite(path, path, context)),
      };
    case "read":
    case "search":
      return { commands: [], paths: action.paths, findings: action.paths.flatMap((path) => inspectRead(path, path)) };
    case "fetch":
      return {
        commands: [],
        paths: [],
        findings: [{ category: "network", subject: action.host, because: "is another host" }],
      };
    default:
      return { commands: [], paths: [], findings: [] };
  }
}

function inspectText(text: string, context: GateContext, isAllowed: (command: ShellCommand) => boolean): Inspection {
  const { commands, doubts } = parseShell(text);
  const leavesWorkspace = leaves(commands, text, context.workspace);
  const findings = commands.flatMap((command) => inspectCommand(command, { ...context, leavesWorkspace }, isAllowed));
  const undecidable = doubts.map(({ reason }): PolicyFinding => ({
    category: "undecidable",
    subject: "the command",
    because: reason,
  }));
  const paths = commands.flatMap(({ redirects, args }) => [...redirects.map(({ path }) => path), ...args].map(pathOf));
  return { commands, paths, findings: [...findings, ...undecidable] };
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
