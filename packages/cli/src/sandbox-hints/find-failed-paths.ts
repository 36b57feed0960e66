/** Why a command says that it could not use a path. */
export type PathProblem = "missing" | "denied" | "read-only";

export interface FailedPath {
  /** As the command wrote it: absolute, or from `~`, `..` or `.git`. */
  readonly path: string;
  readonly problem: PathProblem;
}

/** An output can have any size, and its author is the agent. An error is at the end of it. */
const maxLength = 16 * 1024;
const maxLineLength = 1000;
const maxPathLength = 300;
const maxPaths = 5;

const problems: readonly (readonly [PathProblem, RegExp])[] = [
  // A protected file is a mount of its own, which git cannot replace.
  ["read-only", /read-only file ?system|device or resource busy|\bEROFS\b|\bEBUSY\b/i],
  ["denied", /permission denied|operation not permitted|\bEACCES\b|\bEPERM\b/i],
  ["missing", /no such file|not found|cannot find|does not exist|cannot connect|could not connect|\bENOENT\b/i],
];

/** A path in quotes may contain spaces. */
const quotedPath = /['"`‘]((?:~|\.\.|\.git)?\/[^'"`’]+)['"`’]/g;
const barePath = /(?<![\w.~/-])(?:~|\.\.|\.git)?\/[^\s'"`‘’:,;()[\]{}<>|*?]+/g;

/** Tools whose errors do not name what they miss, and the path in the home where they look for it. */
const symptoms: readonly (readonly [RegExp, readonly string[]])[] = [
  [/permission denied \(publickey|host key verification failed/i, ["~/.ssh"]],
  [
    /could not read (?:username|password) for|terminal prompts disabled/i,
    ["~/.config/gh", "~/.git-credentials", "~/.netrc"],
  ],
  [/gh auth login/i, ["~/.config/gh"]],
  [/\bENEEDAUTH\b|npm (?:error|err!) code E40[13]\b/i, ["~/.npmrc"]],
  [/unable to locate credentials/i, ["~/.aws"]],
];

/** Finds the paths that a failed command names in its errors, without a look at the disk. Takes time linear in its limits. */
export function findFailedPaths(output: string): readonly FailedPath[] {
  const found = new Map<string, FailedPath>();
  const add = (path: string, problem: PathProblem): void => {
    if (path.length <= maxPathLength && found.size < maxPaths && !found.has(path)) found.set(path, { path, problem });
  };
  for (const line of output.slice(-maxLength).split("\n")) {
    if (found.size >= maxPaths) break;
    // A program that reports the error by its own path has no problem with that path. A shell adds the line.
    const text = line
      .slice(0, maxLineLength)
      .replace(/^\/[^\s:]*: line \d+: /, "")
      .replace(/^\/[^\s:]*: (?=.*\/)/, "");
    for (const [symptom, paths] of symptoms) if (symptom.test(text)) for (const path of paths) add(path, "missing");
    const problem = problems.find(([, pattern]) => pattern.test(text))?.[0];
    if (problem === undefined) continue;
    for (const [, path = ""] of text.matchAll(quotedPath)) add(path, problem);
    // Without the schemes of addresses, whose slashes begin no path. A socket's address is a path.
    const bare = text
      .replace(quotedPath, " ")
      .replace(/\bunix:\/\//g, " ")
      .replace(/\b[a-z]+:\/\/\S*/gi, " ");
    for (const [path] of bare.matchAll(barePath)) add(path.replace(/(?<![.!])[.!]+$/, ""), problem);
  }
  return [...found.values()];
}
