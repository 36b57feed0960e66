import { FairleadError } from "@fairlead/contract";
import type { Environment } from "../host/child-environment.ts";
import { findProgramPath } from "../review/guarded-git.ts";
import { runBounded, type BoundedRunResult } from "../review/run-bounded.ts";

export interface TransportOptions {
  /** The URL of the other repository, which `RepositorySource` has accepted. */
  readonly url: string;
  /** The git folder of this side. No agent can write to it while the command runs. */
  readonly gitFolder: string;
  /** A folder whose programs are not run: the workspace. */
  readonly workspace: string;
  /** The environment of the host, with its credentials. */
  readonly environment: Environment;
  readonly signal: AbortSignal;
  /** Settings of git for this command. */
  readonly settings?: readonly string[];
}

/** `ext` and other transports run commands. Git also gets URLs from redirects and from `insteadOf`. */
const allowedTransports = "https:ssh:file";
const flags = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "credential.interactive=false",
  "fetch.recurseSubmodules=false",
  "submodule.recurse=false",
].flatMap((flag) => ["-c", flag]);

/**
 * Settings by which a repository on this machine would run programs when others fetch from it or push to it. An agent may work in
 * that repository. Git does not pass the flags above to the program on the other side.
 */
const serverFlags = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.alternateRefsCommand=true",
  "receive.autogc=false",
  "gc.recentObjectsHook=true",
  "receive.denyCurrentBranch=refuse",
].map((flag) => `-c ${flag}`);
const serverCommand = (name: string): string => ["git", ...serverFlags, name].join(" ");

/** Variables of git that choose a repository or trace secrets. Others name credentials and ways to the network. */
const keptGitVariable =
  /^GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|SSL_\w+|HTTP_\w+|PROXY_\w+|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+))$/;
const outputLimit = 4 * 1024 * 1024;

/**
 * Runs a command of git that talks to another repository, with the configuration and the credentials of the host. Neither the
 * workspace nor its git folder is read.
 */
export async function runTransport(
  [command, ...args]: readonly [command: "fetch" | "ls-remote" | "push", ...args: string[]],
  { url, gitFolder, workspace, environment, signal, settings = [] }: TransportOptions,
): Promise<BoundedRunResult> {
  const name = command === "push" ? "receive-pack" : "upload-pack";
  const isLocal = url.startsWith("/") || url.startsWith("file:");
  const server = isLocal ? [`--${name}=${serverCommand(name)}`] : [];
  const inherited = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (!entry[0].startsWith("GIT_") || keptGitVariable.test(entry[0])),
  );
  const env = {
    ...Object.fromEntries(inherited),
    PATH: await findProgramPath(workspace),
    GIT_DIR: gitFolder,
    GIT_ALLOW_PROTOCOL: allowedTransports,
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    LC_ALL: "C",
  };
  try {
    return await runBounded(
      ["git", ...flags, ...settings.flatMap((setting) => ["-c", setting]), command, ...server, ...args],
      {
        cwd: gitFolder,
        env,
        limit: outputLimit,
        signal,
      },
    );
  } catch (cause) {
    if (signal.aborted)
      throw new FairleadError("timed-out", `The repository ${url} did not answer in time.`, { cause });
    throw new FairleadError("unavailable", "git could not be started. Check that it is installed and in PATH.", {
      cause,
    });
  }
}

/** Throws `unavailable` with the problem if a transport command failed. */
export function assertTransported(result: BoundedRunResult, problem: string): BoundedRunResult {
  if (result.code === 0) return result;
  const lines = `${result.output.toString()}\n${result.stderr}`
    .split("\n")
    .filter((line) => /^(?:fatal|error|remote|ssh|!)/i.test(line));
  const reason = (lines.length > 0 ? lines.join(" ") : result.stderr).trim().slice(0, 1000);
  // The host's configuration may have put credentials into a URL.
  throw new FairleadError("unavailable", `${problem}: ${reason.replaceAll(/\/\/[^@/\s]+@/g, "//")}`);
}
