import { leadingText, type ShellCommand } from "@fairlead/kit";
import { nameCommand, type PolicyFinding, type GateContext, type Recognizer } from "./policy-finding.ts";
import { inspectWrite } from "./inspect-path.ts";
import { locatePath, pathOf } from "./locate-path.ts";
import { findOption, findOptionValues, separateArguments } from "./separate-arguments.ts";
import { isUnpackingAnywhere, writtenByArchive, writtenOperands } from "./written-paths.ts";
import { recognizeCode } from "./recognize-code.ts";
import { recognizeGit } from "./recognize-git.ts";
import { commandInRunner, recognizePackages } from "./recognize-packages.ts";
import { recognizeRemote } from "./recognize-remote.ts";
import { recognizeRemoval } from "./recognize-removal.ts";
import { recognizeSecrets } from "./recognize-secrets.ts";
import { vettedPrograms, type VettedProgram } from "./vetted-programs.ts";

const recognizers: readonly Recognizer[] = [
  recognizeGit,
  recognizePackages,
  recognizeRemote,
  recognizeRemoval,
  recognizeSecrets,
  recognizeCode,
];
const systemFolders = /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$|^\/opt\/homebrew\/bin\/[^/]+$/;
const installedFolders = /(?:^|\/)(?:node_modules\/\.bin|vendor\/bin|\.?venv\/bin)\/[^/]+$/;
/** A program of the workspace: tests and builds run such code, too. */
const workspaceProgram: VettedProgram = { isProjectTool: true };

/** Finds what a command does. `isAllowed` tells whether a rule makes its program a vetted one. */
export function inspectCommand(
  command: ShellCommand,
  context: GateContext,
  isAllowed: (command: ShellCommand) => boolean,
): PolicyFinding[] {
  const findings = recognizers.flatMap((recognize) => recognize(command, context));
  const inner = commandInRunner(command);
  if (inner !== null) findings.push(...inspectCommand(inner, context, isAllowed));
  const subject = nameCommand(command);
  for (const { direction, path } of command.redirects) {
    if (direction !== "read") findings.push(...inspectWrite(pathOf(path), `> ${path.text}`, context));
  }
  if (command.program === null || command.isFunction) return findings;
  const program = findProgram(command, context);
  if (program === undefined) {
    if (!isAllowed(command))
      findings.push({
        category: "unvetted",
        subject,
        because: "is not on the list of vetted programs",
        isUnknown: true,
      });
    return findings;
  }
  return [...findings, ...inspectArguments(command, program, context)];
}

/** Returns what is known of a program, or undefined if it is not vetted. */
function findProgram({ program, path }: ShellCommand, context: GateContext): VettedProgram | undefined {
  if (program === null || path === null) return undefined;
  if (!path.includes("/")) return vettedPrograms.get(program);
  if (systemFolders.test(path)) return vettedPrograms.get(program);
  if (locatePath(path, context.workspace) !== "workspace" || context.leavesWorkspace) return undefined;
  return installedFolders.test(path) || /^(?:\.\/)?(?:gradlew|mvnw)$/.test(path)
    ? (vettedPrograms.get(program) ?? workspaceProgram)
    : workspaceProgram;
}

function inspectArguments(command: ShellCommand, program: VettedProgram, context: GateContext): PolicyFinding[] {
  const { args } = command;
  const list = (options: string | undefined): string[] => (options === undefined ? [] : options.split(" "));
  const { operands, computed } = separateArguments(args, new Set(list(program.valued)));
  const subject = nameCommand({ program: command.program, args: operands });
  const findings: PolicyFinding[] = [];
  const find = (category: PolicyFinding["category"], because: string): void =>
    void findings.push({ category, subject, because });

  const option = findOption(args, list(program.runs), program.hasWordOptions === true ? "words" : "groups");
  if (option !== null) find("unvetted", `the option ${option} can run other programs or reach other places`);
  if (program.runs !== undefined && program.isProjectTool !== true && computed !== undefined) {
    find("undecidable", `${computed.text} may become an option that runs other programs`);
  }
  if (program.subcommands !== undefined) {
    const [first] = operands;
    if (first?.value === null) find("unvetted", "its subcommand is computed");
    else if (first !== undefined && !list(program.subcommands).includes(first.value)) {
      const because = "is not a vetted subcommand";
      findings.push({ category: "unvetted", subject, because, isUnknown: true });
    }
  }
  for (const path of findOptionValues(args, list(program.outputs)))
    findings.push(...inspectWrite(path, subject, context));
  const written = [...writtenOperands(operands, args, program.writes, context), ...writtenByArchive(command)];
  for (const path of written) findings.push(...inspectWrite(path, subject, context));
  if (program.isProjectTool === true) {
    const outside = args.find((word) => leadsOutside(pathOf(word), context));
    if (outside !== undefined) find("unvetted", `${outside.text} leads outside the workspace`);
    else if (context.leavesWorkspace) find("unvetted", "runs outside the workspace");
  }
  if (isUnpackingAnywhere(command)) find("unvetted", "writes where the archive says");
  if (
    /^g?sed$/.test(command.program ?? "") &&
    args.some((word) => /^(?:-[nErsuz]*i|--in[a-z-]*=).*\//.test(pathOf(word)))
  ) {
    find("unvetted", "keeps the old file in another folder");
  }
  if (/^(?:less|more)$/.test(command.program ?? "") && args.some((word) => leadingText(word).startsWith("+"))) {
    find("unvetted", "executes commands that are given as arguments");
  }
  return findings;
}

/** Reports whether an argument contains a path that leads outside: `/x`, `--config=/x`, `-C/x`, `../x`, `a/../../x`, `~/x`. */
export function leadsOutside(text: string, { workspace }: Pick<GateContext, "workspace">): boolean {
  const starts = [
    text,
    ...[/^-[A-Za-z]+(?=[/~.])/, /^[^=]*=/, /^[^:]*:(?=[/~.])/, /^[^,]*,/].map((start) => text.replace(start, "")),
  ];
  return starts.some((path) => {
    if (!/^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(path) || path === "/dev/null") return false;
    const location = locatePath(path, workspace);
    return location === "outside" || location === "temporary" || location === "device";
  });
}
