import { adapters, unverifiedAdapters } from "@fairlead/adapters";
import { Scope } from "@fairlead/api";
import { AgentEvent, Capability, ErrorCategory, errorCodes, PermissionMode } from "@fairlead/contract";
import { workspaceFileName } from "@fairlead/runtime";
import { createApp } from "../../packages/server/src/http/app.ts";
import { cliExitCodes } from "../../packages/cli/src/exit-codes.ts";
import { WorkspaceConfig } from "../../packages/runtime/src/config/workspace-config.ts";
import { createSilentProgram, type CliCommand } from "./cli-page.ts";
import { scanEnvironmentReads } from "./environment-scan.ts";

/** A part of the program that the reference must name. */
export interface InventoryItem {
  readonly kind: string;
  /** The code that a row of a table must be about, or the title of a section for a command. */
  readonly name: string;
  /** The page of the reference. */
  readonly page: string;
  /** The heading, or the bold line, of the section that must contain it. Null for the whole page. */
  readonly section: string | null;
  /** Further code in the same row, such as the fields of an event. */
  readonly fields?: readonly string[];
}

const cliPage = "docs/use/cli.md";
/** The section of the options that the program has itself. The same option of a command is another one. */
const programSection = "Command-line reference";
const configurationPage = "docs/use/configuration.md";
const apiPage = "docs/build/http-api.md";
const contractPage = "docs/extend/contract.md";

/** Lists everything that the reference must name, from the program itself and not from the code that writes the pages. */
export function listInventory(root: string, program: CliCommand = createSilentProgram()): InventoryItem[] {
  return [
    ...listCommands(program),
    ...items("exit code", cliPage, Object.values(cliExitCodes).map(String), "Exit codes"),
    ...items("environment variable", configurationPage, [...scanEnvironmentReads(root).keys()]),
    ...items("configuration key", configurationPage, Object.keys(WorkspaceConfig.shape), workspaceFileName),
    ...listSettings(),
    ...items("route", apiPage, listRoutes()),
    ...items("scope", apiPage, Scope.options),
    ...items("error code", apiPage, errorCodes),
    ...AgentEvent.options.map(({ shape: { type, ...fields } }) => {
      return { kind: "event", page: contractPage, section: null, name: type.value, fields: Object.keys(fields) };
    }),
    ...items("error category", contractPage, ErrorCategory.options),
    ...items("permission mode", contractPage, PermissionMode.options),
    ...items("capability", contractPage, Capability.options),
  ];
}

function items(kind: string, page: string, names: readonly string[], section: string | null = null): InventoryItem[] {
  return names.map((name) => ({ kind, page, name, section }));
}

function listCommands(program: CliCommand): InventoryItem[] {
  const commands = listSubcommands(program, "fairlead");
  return [
    ...commands.map(({ section }) => ({ kind: "command", page: cliPage, section, name: section })),
    ...[{ command: program, section: programSection }, ...commands].flatMap(({ command, section }) => [
      ...command.options.flatMap(({ short, long }) =>
        items(
          "option",
          cliPage,
          [short, long].filter((flag) => flag !== undefined),
          section,
        ),
      ),
      ...items(
        "argument",
        cliPage,
        command.registeredArguments.map((argument) => argument.name()),
        section,
      ),
    ]),
  ];
}

/** Lists the commands below a command, with the titles of their sections: `fairlead token`. */
function listSubcommands(parent: CliCommand, name: string): { command: CliCommand; section: string }[] {
  return parent.commands.flatMap((command) => {
    const section = `${name} ${command.name()}`;
    return [{ command, section }, ...listSubcommands(command, section)];
  });
}

function listSettings(): InventoryItem[] {
  return [...adapters, ...unverifiedAdapters].flatMap(({ manifest: { id, settings } }) =>
    items("agent setting", configurationPage, findKeys(settings.toJSONSchema({ io: "input" })), id),
  );
}

/** Lists the keys of an object's schema, and those of nested objects after a dot. */
function findKeys({ properties = {} }: { readonly properties?: object }): string[] {
  return Object.entries(properties).flatMap(([key, schema]) => [
    key,
    ...findKeys(schema as { readonly properties?: object }).map((nested) => `${key}.${nested}`),
  ]);
}

/** Lists the routes of the server's own router. */
function listRoutes(): string[] {
  const app = createApp({ limits: { body: 1 } } as Parameters<typeof createApp>[0]);
  return [...new Set(app.routes.map(({ method, path }) => `${method} ${path}`))];
}
