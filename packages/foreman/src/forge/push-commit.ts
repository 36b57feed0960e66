import { execFile } from "node:child_process";
import { isAbsolute, resolve } from "node:path";
import { promisify } from "node:util";
import { FairleadError } from "@fairlead/contract";

const run = promisify(execFile);

export type PersonEnvironment = Readonly<Record<string, string | undefined>>;

/** Milliseconds that a push may take. */
const pushTimeout = 600_000;

/** No hook runs, and git asks nothing. The person's own configuration gives the credentials. */
const gitFlags = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"];

/** Returns the address of a remote of the person's repository. A path is its own address. */
export async function findRemote(top: string, remote: string, environment: PersonEnvironment): Promise<string> {
  if (isAbsolute(remote)) return remote;
  try {
    const args = [...gitFlags, "-C", top, "remote", "get-url", "--push", remote];
    const address = (await run("git", args, { env: { ...environment, LC_ALL: "C" } })).stdout.trim();
    // A path is relative to the person's repository, and the push is made from another folder.
    return /^\.{1,2}(?:\/|$)/.test(address) ? resolve(top, address) : address;
  } catch (error) {
    throw new FairleadError(
      "invalid-request",
      `${top} has no remote ${remote}. Add it with: git remote add ${remote} ADDRESS`,
      {
        cause: error,
      },
    );
  }
}

/** Reads whether the person's repository has a commit, and its branch: null if none is checked out. */
export async function readHead(
  top: string,
  environment: PersonEnvironment,
): Promise<{ readonly hasCommit: boolean; readonly branch: string | null }> {
  const read = async (...args: string[]): Promise<string | null> =>
    await run("git", [...gitFlags, "-C", top, ...args], { env: { ...environment, LC_ALL: "C" } }).then(
      ({ stdout }) => stdout.trim(),
      () => null,
    );
  const commit = await read("rev-parse", "--verify", "--quiet", "HEAD^{commit}");
  return { hasCommit: commit !== null, branch: await read("symbolic-ref", "--quiet", "--short", "HEAD") };
}

/**
 * Pushes a commit of a repository as a branch, with the person's credentials. A repeated push changes nothing. Throws
 * `conflict` if the branch has other commits, and `unavailable` if the remote cannot be reached.
 */
export async function pushCommit(
  { folder, commit, branch }: { readonly folder: string; readonly commit: string; readonly branch: string },
  address: string,
  { environment, signal }: { readonly environment: PersonEnvironment; readonly signal: AbortSignal },
): Promise<void> {
  const env = {
    ...environment,
    GIT_DIR: folder,
    GIT_TERMINAL_PROMPT: "0",
    GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh",
    LC_ALL: "C",
  };
  const args = [...gitFlags, "push", "--porcelain", "--no-verify", "--", address, `${commit}:refs/heads/${branch}`];
  try {
    await run("git", args, { env, signal, timeout: pushTimeout });
  } catch (error) {
    signal.throwIfAborted();
    const { stderr = "", stdout = "" } = error as { stderr?: string; stdout?: string };
    const isRefused = /\[(?:remote )?rejected\]/.test(stdout);
    const problem = isRefused ? stdout : stderr || (error as Error).message;
    const isUnreachable = /Could not resolve host|Connection (?:refused|timed out|reset)|Failed to connect/i.test(
      stderr,
    );
    throw new FairleadError(
      isUnreachable ? "unavailable" : "conflict",
      `The branch ${branch} cannot be pushed to ${address}: ${problem.trim()}`,
    );
  }
}
