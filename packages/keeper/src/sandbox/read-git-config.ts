import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** A configuration has an entry for each branch, so it can be large. An agent may have created it, so there is a limit. */
const maxBytes = 1024 * 1024;
/** Without O_NONBLOCK, opening a pipe would wait for a writer. With O_NOFOLLOW, a link is an error. */
const openFlags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** Reads a file of git that an agent may have created: only a regular file, up to a limit. Returns "" if there is none. */
export function readGitFile(file: string): string {
  let opened: number;
  try {
    opened = openSync(file, openFlags);
  } catch {
    return "";
  }
  try {
    const stats = fstatSync(opened);
    if (!stats.isFile()) return "";
    const buffer = Buffer.alloc(Math.min(stats.size, maxBytes));
    return buffer.toString("utf8", 0, readSync(opened, buffer, 0, buffer.length, 0));
  } finally {
    closeSync(opened);
  }
}

/** The paths in a git configuration that lead to programs, as they are written. */
export interface ConfiguredPaths {
  /** Folders with hooks. */
  readonly hooks: readonly string[];
  /** Other configurations, whatever their conditions. */
  readonly includes: readonly string[];
}

/** Finds the paths in a git configuration. Git is not asked: it would have to be kept from the programs that it names. */
export function findConfiguredPaths(config: string): ConfiguredPaths {
  const hooks: string[] = [];
  const includes: string[] = [];
  let section = "";
  for (const line of config.replaceAll(/\\\r?\n/g, "").split("\n")) {
    section = /^\s*\[\s*(\w+)/.exec(line)?.[1]?.toLowerCase() ?? section;
    // A key can follow its section on the same line.
    const [, key = "", value = ""] = /(?:^|[\s\]])(hookspath|path)[ \t]*=(.*)/i.exec(line) ?? [];
    if (key.toLowerCase() === "hookspath" && section === "core") hooks.push(readValue(value));
    if (key.toLowerCase() === "path" && section.startsWith("include")) includes.push(readValue(value));
  }
  const isPath = (value: string): boolean => value !== "";
  return { hooks: hooks.filter(isPath), includes: includes.filter(isPath) };
}

/** Reads a value with quotes, escaped characters and a comment. */
function readValue(text: string): string {
  let value = "";
  let isQuoted = false;
  for (const [part] of text.trim().matchAll(/\\?./g)) {
    if (part === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (part === "#" || part === ";")) break;
    else value += part.at(-1);
  }
  return value.trim();
}
