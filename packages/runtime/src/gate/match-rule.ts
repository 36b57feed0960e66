import type { PolicyRule } from "@fairlead/contract";
import type { ShellCommand } from "@fairlead/kit";
import type { Inspection } from "./inspect-action.ts";
import { segmentsOf } from "./locate-path.ts";
import { matches } from "./path-kinds.ts";
import type { PolicyAction } from "./policy-action.ts";
import { separateArguments } from "./separate-arguments.ts";
import { vettedPrograms } from "./vetted-programs.ts";

/** Reports whether everything that a rule names occurs in an action. */
export function matchesRule(
  rule: PolicyRule,
  action: PolicyAction,
  { commands, paths, findings }: Inspection,
): boolean {
  const { tool, command: words, path: pattern, host, category } = rule;
  if (tool !== undefined && tool !== action.tool && tool !== action.kind) return false;
  if (words !== undefined && !commands.some((command) => matchesCommand(words, command))) return false;
  if (pattern !== undefined && !paths.some((path) => matchesPath(pattern, path, action.workspace))) return false;
  const hosts = action.kind === "fetch" ? action.hosts : hostsOf(commands);
  if (host !== undefined && !hosts.some((name) => matchesHost(host, name))) return false;
  return category === undefined || findings.some((finding) => finding.category === category);
}

/** Reports whether a command begins with these words, wherever its options are. */
export function matchesCommand(pattern: string, { program, args }: ShellCommand): boolean {
  const [name, ...words] = pattern.trim().split(/\s+/);
  if (program === null || name === undefined || !matches(name, program)) return false;
  const { operands } = separateArguments(args, new Set(vettedPrograms.get(program)?.valued?.split(" ")));
  const beginsWith = (values: readonly (string | null)[]): boolean =>
    words.every((word, at) => values[at] !== undefined && values[at] !== null && matches(word, values[at]));
  return beginsWith(operands.map(({ value }) => value)) || beginsWith(args.map(({ value }) => value));
}

/** Compares exactly: an allowed command has these words first, and its program no folder. */
export function allowsCommand(pattern: string, { program, path, args }: ShellCommand): boolean {
  const [name, ...words] = pattern.trim().split(/\s+/);
  if (program === null || name === undefined || path !== program || name !== program) return false;
  return words.every(
    (word, at) => args[at]?.value !== null && args[at] !== undefined && (word === "*" || word === args[at].value),
  );
}

function matchesPath(pattern: string, path: string, workspace: string | undefined): boolean {
  const [names, segments] = [pattern.split("/").filter((name) => name !== "."), segmentsOf(path, workspace)];
  const end = names.indexOf("**");
  // `**` is the rest of the path; in front of a name it is any folder.
  if (end === -1)
    return names.length === segments.length && names.every((name, at) => matches(name, segments[at] ?? ""));
  const after = names.slice(end + 1);
  const tail = segments.slice(segments.length - after.length);
  return (
    segments.length >= names.length - 1 &&
    names.slice(0, end).every((name, at) => matches(name, segments[at] ?? "")) &&
    after.every((name, at) => matches(name, tail[at] ?? ""))
  );
}

function matchesHost(pattern: string, host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  return pattern.startsWith("*.") ? name.endsWith(pattern.slice(1).toLowerCase()) : name === pattern.toLowerCase();
}

function hostsOf(commands: readonly ShellCommand[]): string[] {
  return commands.flatMap(({ args }) =>
    args.flatMap(({ value }) => {
      const url = value?.includes("://") === true ? URL.parse(value) : null;
      return url === null ? [] : [url.hostname];
    }),
  );
}
