import { bubblewrapGitSandbox, findGitSandbox, type GitSandbox } from "../review/git-sandbox.ts";
import { runBounded } from "../review/run-bounded.ts";

const trialTimeout = 5000;
const bubblewrap = "/usr/bin/bwrap";
const isolationFlags =
  "--unshare-user-try --unshare-pid --unshare-net --unshare-ipc --cap-drop ALL --die-with-parent --new-session";
/** Where git and its libraries are. */
const systemFolders = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/etc/ld.so.cache"];

/**
 * Runs git with the workspace, the store and the programs of the system, and nothing else. A program of the agent that still
 * runs can replace a folder by a link while git reads it. Without this, git would store a file of the user to which the
 * link leads, and the snapshot would carry it out of the machine.
 */
export const strictGitSandbox: GitSandbox = (command, writable, workspace) => {
  const systemFlags = systemFolders.flatMap((folder) => ["--ro-bind-try", folder, folder]);
  const mountFlags = ["--dev", "/dev", "--proc", "/proc", "--ro-bind", workspace, workspace];
  const flags = [...isolationFlags.split(" "), ...systemFlags, ...mountFlags, "--bind", writable, writable];
  return [bubblewrap, ...flags, "--chdir", workspace, "--", ...command];
};

let cachedSandbox: Promise<GitSandbox> | undefined;

/** Returns the strict sandbox if git works in it, else the one in which git sees all files. */
export function findSnapshotSandbox(): Promise<GitSandbox> {
  cachedSandbox ??= findGitSandbox().then(async (usual) => {
    if (usual !== bubblewrapGitSandbox) return usual;
    const command = strictGitSandbox(["git", "--version"], "/tmp", "/usr");
    const env = { PATH: process.env["PATH"] ?? "" };
    const limits = { cwd: "/", env, limit: 1000, signal: AbortSignal.timeout(trialTimeout) };
    const result = await runBounded(command, limits).catch(() => null);
    return result?.code === 0 ? strictGitSandbox : usual;
  });
  return cachedSandbox;
}
