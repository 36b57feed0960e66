import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, delimiter, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { LaunchSpec } from "../process/contained-process.ts";
import { type FollowedPath, followLinks, resolveLinks } from "./follow-links.ts";
import { isInside } from "./is-inside.ts";
import { certificateVariables, homePaths, systemPaths } from "./visible-paths.ts";

/** A folder of programs can contain any number of links, and each of their targets costs a mount. */
const maxLinkTargets = 100;

/** What an agent can read outside of its workspace and its own folders. */
export interface VisiblePaths {
  /** Files and folders that exist, without links. */
  readonly paths: readonly string[];
  /** Links on the way to them, by their paths, with what they contain. */
  readonly links: ReadonlyMap<string, string>;
}

/** Where the user's files are, which no folder of programs shows. */
interface PrivatePlaces {
  readonly home: string;
  readonly workspace: string;
  readonly hides: readonly string[];
}

/**
 * Finds what every agent sees, and what this launch needs: the agent's program, and the folders on its PATH. `program` is
 * the agent's file.
 */
export function findVisiblePaths(
  { command, env, sandbox }: Omit<LaunchSpec, "network">,
  program: string | null,
): VisiblePaths {
  const home = env["HOME"] ?? "";
  const places: PrivatePlaces = {
    home: resolveLinks(home) ?? "/",
    workspace: sandbox.workspaceFolder ?? resolveLinks(command.cwd) ?? command.cwd,
    hides: sandbox.hides,
  };
  const isWritable = (path: string): boolean =>
    [places.workspace, ...sandbox.writes].some((folder) => isInside(path, folder));
  const collected = new VisiblePathCollector(isWritable);
  collected.addLinks(home);
  collected.addLinks(command.cwd);
  for (const path of [...sandbox.writes, ...sandbox.shows]) collected.addLinks(path);
  for (const path of systemPaths) collected.add(path);
  for (const path of homePaths) if (places.home !== "/") collected.add(`${home}/${path}`);
  for (const name of certificateVariables) collected.add(env[name] ?? "");
  // The terminal's leader and agents that come with Fairlead are programs of this installation.
  for (const file of [program, process.execPath, fileURLToPath(import.meta.url)]) {
    if (file !== null) collected.addLinks(file);
    for (const path of installationPaths(file, places, collected)) collected.add(path);
  }
  for (const folder of new Set((env["PATH"] ?? "").split(delimiter))) {
    const target = collected.resolve(folder);
    // Programs of Windows run outside of every namespace.
    if (target === null || isWritable(target) || /^\/mnt\/[a-z]\//.test(target)) continue;
    const isKnown = collected.includes(target);
    collected.add(folder);
    if (isKnown) continue;
    const prefix = dirname(target);
    const isPrefix = /^s?bin$/.test(basename(target)) && isInstallation(prefix, places);
    for (const path of isPrefix ? [prefix] : linkTargets(target, places, collected)) collected.add(path);
  }
  // What the agent can write is visible, and stays writable.
  return { paths: collected.paths.filter((path) => !isWritable(path)), links: collected.links };
}

class VisiblePathCollector {
  readonly #isWritable: (path: string) => boolean;
  readonly #paths = new Set<string>();
  /** Each path is asked about several times, and each time costs calls to the system. */
  readonly #followed = new Map<string, FollowedPath | null>();
  readonly links = new Map<string, string>();

  constructor(isWritable: (path: string) => boolean) {
    this.#isWritable = isWritable;
  }

  get paths(): string[] {
    return [...this.#paths];
  }

  /** Adds a path, if it exists. */
  add(path: string): void {
    const target = this.resolve(path);
    if (target === null || target === "/") return;
    this.addLinks(path);
    this.#paths.add(target);
  }

  /** Returns what a path leads to. Null if the agent can change that: it would show itself any file. */
  resolve(path: string): string | null {
    const followed = this.#follow(path);
    if (followed === null || [...followed.links.keys()].some(this.#isWritable)) return null;
    return followed.target;
  }

  /** Adds the links on the way to a path. Returns what they lead to. */
  addLinks(path: string): string | null {
    const followed = this.#follow(path);
    for (const [link, content] of followed?.links ?? []) this.links.set(link, content);
    return followed?.target ?? null;
  }

  #follow(path: string): FollowedPath | null {
    const known = this.#followed.get(path);
    if (known !== undefined) return known;
    const followed = followLinks(path);
    this.#followed.set(path, followed);
    return followed;
  }

  /** Whether a path without links is in what was added. */
  includes(path: string): boolean {
    for (let folder = path; folder !== dirname(folder); folder = dirname(folder))
      if (this.#paths.has(folder)) return true;
    return false;
  }
}

/**
 * Returns what a program needs: the folder of its file, and the outermost folder of packages that its target is in, because
 * a package loads others.
 */
function installationPaths(file: string | null, places: PrivatePlaces, seen: VisiblePathCollector): string[] {
  const target = file === null ? null : seen.resolve(file);
  if (file === null || target === null || statSync(target, { throwIfNoEntry: false })?.isFile() !== true) return [];
  return [file, target].flatMap((one) => {
    const packages = /^(.*?)\/(?:node_modules|packages)\//.exec(one)?.[1];
    const folder = packages ?? dirname(one);
    if (!containsPrivatePlace(folder, places)) return [folder];
    return packages === undefined ? [one] : [join(packages, "node_modules"), join(packages, "packages")];
  });
}

/**
 * Returns the targets of the links in a folder of programs, each with the packages that it is in. Targets that are hidden
 * stay so.
 */
function linkTargets(folder: string, places: PrivatePlaces, seen: VisiblePathCollector): string[] {
  const targets = new Set<string>();
  for (const entry of listFolder(folder)) {
    if (targets.size >= maxLinkTargets) break;
    const target = entry.isSymbolicLink() ? seen.resolve(`${folder}/${entry.name}`) : null;
    if (target === null || seen.includes(target) || isInside(target, folder)) continue;
    // An agent of another session may have laid the link, in a folder of programs that is in its workspace.
    if (places.hides.some((path) => isInside(target, path)) || !isProgram(target)) continue;
    const packages = /^.*?\/node_modules(?=\/)/.exec(target)?.[0];
    const prefix = dirname(dirname(target));
    const isInPrefix = basename(dirname(target)) === "bin" && isInstallation(prefix, places);
    targets.add(packages ?? (isInPrefix ? prefix : target));
  }
  return [...targets];
}

function isProgram(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats?.isFile() === true && (stats.mode & 0o111) !== 0;
}

function listFolder(folder: string): { readonly name: string; isSymbolicLink(): boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // it may be searched and not listed
  }
}

/**
 * Whether a folder with a folder `bin` is that of an installation. A folder at the top of the machine or of the home is too
 * general. In a hidden folder of the home, tools keep credentials beside their programs.
 */
function isInstallation(prefix: string, places: PrivatePlaces): boolean {
  if (containsPrivatePlace(prefix, places)) return false;
  const home = isInside(prefix, places.home) ? places.home : /^\/(?:root|home\/[^/]+)(?=\/|$)/.exec(prefix)?.[0];
  const has = (name: string): boolean => existsSync(join(prefix, name));
  // A project has a folder `bin` too.
  if (!["lib", "libexec", "share"].some(has) || [".git", ".env"].some(has)) return false;
  if (home === undefined) return dirname(prefix) !== "/";
  const names = relative(home, prefix).split("/");
  return names.length > 1 && !names[0]?.startsWith(".");
}

/** Whether a folder shows more of the user's files than what it is for. */
function containsPrivatePlace(folder: string, { home, workspace, hides }: PrivatePlaces): boolean {
  return folder === "/" || folder === "" || [home, workspace, ...hides].some((path) => isInside(path, folder));
}
