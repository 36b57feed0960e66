import { roomOf, type PolicyRule } from "@fairlead/contract";
import type { ShellCommand } from "@fairlead/kit";
import type { Inspection } from "./inspect-action.ts";
import { locatePath, resolveParents, segmentsOf } from "./locate-path.ts";
import { matches, overlaps } from "./path-kinds.ts";
import type { PolicyAction } from "./policy-action.ts";
import { separateArguments } from "./separate-arguments.ts";
import { vettedPrograms } from "./vetted-programs.ts";

/**
 * Reports whether a rule is about an action. One that asks or denies is, if everything that it names occurs. One that allows
 * is, if nothing else occurs: each command, path and host must be allowed, a command also by another rule (`isAllowed`).
 */
export function matchesRule(
  rule: PolicyRule,
  action: PolicyAction,
  { commands, paths, findings }: Inspection,
  isAllowed: (command: ShellCommand) => boolean = () => false,
): boolean {
  const { tool, command: words, path: pattern, room, host, category } = rule;
  if (tool !== undefined && tool !== action.tool && tool !== action.kind) return false;
  if (category !== undefined && !findings.some((finding) => finding.category === category)) return false;
  const hosts = host === undefined ? [] : action.kind === "fetch" ? action.hosts : hostsOf(commands);
  if (rule.verdict === "allow") {
    const { workspace } = action;
    const isNamed = (command: ShellCommand): boolean => words === undefined || allowsCommand(words, command);
    return (
      (words === undefined || commands.some(isNamed)) &&
      commands.every((command) => isNamed(command) || isAllowed(command)) &&
      (pattern === undefined || isEvery(paths, (path) => allowsPath(pattern, path, workspace))) &&
      (room === undefined || isEvery(paths, (path) => isInRoom(room, path, action))) &&
      (host === undefined || (isEvery(hosts, (name) => matchesHost(host, name)) && commands.every(namesOnlyHosts)))
    );
  }
  if (words !== undefined && !commands.some((command) => matchesCommand(words, command))) return false;
  if (pattern !== undefined && !paths.some((path) => matchesPath(pattern, path, action.workspace))) return false;
  if (room !== undefined && !paths.some((path) => mayBeInRoom(room, path, action))) return false;
  if (host === undefined || hosts.some((name) => matchesHost(host, name))) return true;
  const reaching = new Set(findings.filter((finding) => finding.category === "network").map(({ command }) => command));
  return commands.some((command, at) => (reaching.has(at) || reaching.has(undefined)) && mayReach(host, command));
}

function isEvery<T>(list: readonly T[], holds: (one: T) => boolean): boolean {
  return list.length > 0 && list.every(holds);
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
export function allowsCommand(pattern: string, { program, path, args, isFunction }: ShellCommand): boolean {
  const [name, ...words] = pattern.trim().split(/\s+/);
  if (isFunction || program === null || name === undefined || path !== program || name !== program) return false;
  return words.every(
    (word, at) => args[at]?.value !== null && args[at] !== undefined && (word === "*" || word === args[at].value),
  );
}

/** A computed part may become `..`, and what is not in the workspace has other segments than a pattern means. */
function allowsPath(pattern: string, path: string, workspace: string | undefined): boolean {
  return !path.includes("*") && locatePath(path, workspace) === "workspace" && matchesPath(pattern, path, workspace);
}

/** Reports whether a path matches. A part that the shell computes matches what it could become. */
function matchesPath(pattern: string, path: string, workspace: string | undefined): boolean {
  const names = pattern.split("/").filter((name) => name !== "" && name !== ".");
  const segments = segmentsOf(path, workspace);
  // Without any known text, it would match every pattern.
  const isComputed = path.includes("*") && /[^*/.]/.test(path);
  const isMatch = (name: string, segment = ""): boolean =>
    isComputed
      ? overlaps(name.toLowerCase(), segment.toLowerCase())
      : matches(name.toLowerCase(), segment.toLowerCase());
  const end = names.indexOf("**");
  // `**` is the rest of the path; in front of a name it is any folder.
  if (end === -1) return names.length === segments.length && names.every((name, at) => isMatch(name, segments[at]));
  const after = names.slice(end + 1);
  const tail = segments.slice(segments.length - after.length);
  return (
    segments.length >= names.length - 1 &&
    names.slice(0, end).every((name, at) => isMatch(name, segments[at])) &&
    after.every((name, at) => isMatch(name, tail[at]))
  );
}

/** Reports whether a path is in a room, for a rule that allows: exactly, and not computed. */
function isInRoom(room: string, path: string, { rooms = {}, workspace }: PolicyAction): boolean {
  if (path.includes("*") || locatePath(path, workspace) !== "workspace") return false;
  return roomOf(rooms, segmentsOf(path, workspace).join("/")) === room;
}

/** Reports whether a path may be in a room, for a rule that asks or denies: without case, and with what it could become. */
function mayBeInRoom(room: string, written: string, { rooms = {}, workspace }: PolicyAction): boolean {
  const path = resolveParents(written, workspace);
  const roots = Object.hasOwn(rooms, room) ? (rooms[room] ?? []) : [];
  if (locatePath(path, workspace) === "outside") return false;
  if (!roots.some((root) => matchesPath(`${root}/**`, path, workspace))) return false;
  // A path that is known belongs to one room only.
  const owner = path.includes("*") ? null : roomOf(rooms, segmentsOf(path, workspace).join("/"));
  return owner === null || owner === room;
}

function matchesHost(pattern: string, host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  return pattern.startsWith("*.") ? name.endsWith(pattern.slice(1).toLowerCase()) : name === pattern.toLowerCase();
}

/** Reports whether the arguments of a command are addresses and plain options, so that it reaches no host that is not seen. */
function namesOnlyHosts({ args }: ShellCommand): boolean {
  return isEvery(args, ({ value }) => value !== null && (/^-{1,2}[a-z]+$/i.test(value) || /^https?:\/\//.test(value)));
}

function hostsOf(commands: readonly ShellCommand[]): string[] {
  return commands.flatMap(({ args }) =>
    args.flatMap(({ value }) => {
      const url = URL.parse(addressIn(value ?? ""));
      return url === null ? [] : [url.hostname];
    }),
  );
}

/** Returns the address in a word such as `--url=http://host/`, from its scheme on, or an empty text. */
function addressIn(word: string): string {
  const end = word.indexOf("://");
  let start = end;
  // A search by a pattern would take time with the square of the length.
  while (start > 0 && /[a-z0-9]/i.test(word.charAt(start - 1))) start -= 1;
  return end === -1 ? "" : word.slice(start);
}

/** Reports whether a command that uses the network may reach a host: `evil.com/x`, `me@evil.com:x`, or what is computed. */
function mayReach(pattern: string, { args }: ShellCommand): boolean {
  return args.some(({ value }) => {
    if (value === null) return true;
    const names = value.split(/[=,]/).map((part) => /^(?:[^@/]*@)*\[?([^\]/:?#@]+)/.exec(part)?.[1] ?? "");
    return names.some((name) => matchesHost(pattern, name));
  });
}
