import { PermissionMode } from "@fairlead/contract";
import { cliExitCodes } from "../../packages/cli/src/exit-codes.ts";
import { createProgram } from "../../packages/cli/src/program.ts";
import { code, renderTable } from "./markdown-table.ts";
import { wrapParagraph } from "./wrap-paragraph.ts";

/** The parser of the command line, or one command of it. */
export type CliCommand = ReturnType<typeof createProgram>;
type CliOption = CliCommand["options"][number];
type CliArgument = CliCommand["registeredArguments"][number];

/** Creates the parser of the command line with actions that do nothing and no output. */
export function createSilentProgram(): CliCommand {
  const program = createProgram(async () => {});
  silence(program);
  return program;
}

function silence(command: CliCommand): void {
  const ignore = (): void => {};
  command.configureOutput({ writeOut: ignore, writeErr: ignore, outputError: ignore });
  for (const subcommand of command.commands) silence(subcommand);
}

/** Renders docs/use/cli.md: every command, argument, option, default and exit code, from the parser. */
export function renderCliPage(program: CliCommand = createSilentProgram()): string {
  const groups = Object.groupBy(program.commands, (command) => command.helpGroup());
  return [
    "# Command-line reference",
    "",
    "Every command, argument and option of `fairlead`. `node scripts/docs.ts` writes this page from the program.",
    "",
    ...wrapParagraph(program.description()),
    "",
    ...renderBlock("text", "fairlead [options] [command]"),
    ...renderOptions(program),
    ...Object.entries(groups).flatMap(([heading, commands = []]) => renderGroupList(heading, commands)),
    ...renderHelpSections(program),
    ...Object.entries(groups).flatMap(([heading, commands = []]) => [
      `## ${toHeading(heading)}`,
      "",
      ...commands.flatMap((command) => renderCommand(command, "fairlead")),
    ]),
    "## Exit codes",
    "",
    "The exit codes of all commands. A command that uses them in a special way says so above.",
    "",
    renderTable(["code", "meaning"], listExitCodes()),
    "",
  ].join("\n");
}

function renderGroupList(heading: string, commands: readonly CliCommand[]): string[] {
  const rows = commands.map((command) => [
    `[${code(`fairlead ${command.name()}`)}](#fairlead-${command.name()})`,
    command.summary(),
  ]);
  return [renderTable([toHeading(heading), ""], rows), ""];
}

/** Renders a command and those below it. `parent` is the command line of what it belongs to. */
function renderCommand(command: CliCommand, parent: string): string[] {
  const name = `${parent} ${command.name()}`;
  return [
    `### ${name}`,
    "",
    ...wrapParagraph(command.description()),
    "",
    ...renderBlock("text", `${name} ${command.usage()}`),
    ...renderArguments(command.registeredArguments),
    ...renderOptions(command),
    ...renderHelpSections(command),
    ...command.commands.flatMap((subcommand) => renderCommand(subcommand, name)),
  ];
}

function renderArguments(registered: readonly CliArgument[]): string[] {
  if (registered.length === 0) return [];
  const rows = registered.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
    return [code(argument.required ? `<${name}>` : `[${name}]`), ...describeValue(argument)];
  });
  return [renderTable(["argument", "meaning", "default"], rows), ""];
}

function renderOptions(command: CliCommand): string[] {
  const visible = command.createHelp().visibleOptions(command);
  const rows = visible.map((option) => [code(option.flags), ...describeValue(option)]);
  return [renderTable(["option", "meaning", "default"], rows), ""];
}

/** Returns the meaning and the default. The default may be a value, or the end of the description. */
function describeValue({ description, argChoices, defaultValue, defaultValueDescription }: CliOption | CliArgument) {
  const [, meaning = "", describedDefault] = /^(.*?)(?: \(default: (.*)\))?$/.exec(description) ?? [];
  const value = defaultValueDescription ?? describedDefault;
  const shownDefault = value ?? (defaultValue === undefined ? "" : code(String(defaultValue)));
  return [[meaning, describeChoices(argChoices)].filter(Boolean).join("; "), shownDefault];
}

function describeChoices(choices: readonly string[] | undefined): string {
  if (choices === undefined) return "";
  const list = choices.map(code).join(" · ");
  return choices.join() === PermissionMode.options.join() ? `${list} ([what they mean](permission-modes.md))` : list;
}

/**
 * Renders the text after the options of a command's help: sections with unindented title lines and indented lines. The
 * lines of examples are commands, which the check of the documents parses.
 */
function renderHelpSections(command: CliCommand): string[] {
  const sections = readTextAfterHelp(command)
    .split(/\n{2,}/)
    .filter(Boolean);
  return sections.flatMap((section) => {
    const lines = section.split("\n");
    const bodyStart = lines.findIndex((line) => /^\s/.test(line));
    if (bodyStart < 0) return [...wrapParagraph(lines.join(" ")), ""];
    const title = lines.slice(0, bodyStart).join(" ");
    const info = title.startsWith("Example") ? "sh no-run" : "text";
    return [title, "", ...renderBlock(info, dedent(lines.slice(bodyStart)))];
  });
}

/** Captures what `addHelpText("after", …)` adds to the help of a command. */
function readTextAfterHelp(command: CliCommand): string {
  let text = "";
  command.configureOutput({ writeOut: (chunk) => (text += chunk) });
  command.outputHelp();
  return text.slice(command.helpInformation().length).trim();
}

function dedent(lines: readonly string[]): string {
  const indent = Math.min(...lines.map((line) => line.search(/\S/)));
  return lines.map((line) => line.slice(indent)).join("\n");
}

function renderBlock(info: string, text: string): string[] {
  return [`\`\`\`${info}`, text, "```", ""];
}

function toHeading(group: string): string {
  return group.replace(/:$/, "");
}

/** The type makes this list complete: a new exit code without a meaning does not compile. */
const exitCodeMeanings: Readonly<Record<keyof typeof cliExitCodes, string>> = {
  success: "The command succeeded. For a turn: it completed.",
  failed: "The command or the turn failed.",
  usageError: "The command line, a setting or `fairlead.yaml` is wrong.",
  limited: "A limit stopped the turn.",
  waiting: "The session waits for a person's answer.",
  notFound: "There is no such session, token or trusted workspace.",
  denied: "The turn completed, and everything that the agent asked for was denied.",
  interrupted: "The turn was interrupted.",
};

function listExitCodes(): string[][] {
  return Object.entries(cliExitCodes).map(([name, value]) => [
    code(String(value)),
    exitCodeMeanings[name as keyof typeof cliExitCodes],
  ]);
}
