import { runBounded } from "./run-bounded.ts";

/** A program with its arguments. */
export type CommandLine = readonly [program: string, ...args: string[]];

/** Wraps a command so that it can write to a single folder. */
export type GitSandbox = (command: CommandLine, writable: string, workspace: string) => CommandLine;

const bubblewrap = "/usr/bin/bwrap";
const probeTimeout = 5000;
const isolationFlags =
  "--unshare-user-try --unshare-pid --unshare-net --unshare-ipc --cap-drop ALL --die-with-parent --new-session";
// A read-only mount does not prevent writing to sockets. The sockets of the system are below /run.
const mountFlags = "--ro-bind / / --dev /dev --proc /proc --tmpfs /run";

/** Runs the command with a read-only file system, without a network, and without access to other processes. */
export const bubblewrapGitSandbox: GitSandbox = (command, writable, workspace) => {
  const bindFlags = ["--ro-bind", workspace, workspace, "--bind", writable, writable];
  return [bubblewrap, ...`${isolationFlags} ${mountFlags}`.split(" "), ...bindFlags, "--", ...command];
};

/** Returns the command unchanged. */
export const noGitSandbox: GitSandbox = (command) => command;

let cachedGitSandbox: Promise<GitSandbox> | undefined;

/** Returns the bubblewrap sandbox if it works here. Only a trial shows that: containers and kernels forbid it in many ways. */
export function findGitSandbox(): Promise<GitSandbox> {
  cachedGitSandbox ??= runsSuccessfully(bubblewrapGitSandbox(["true"], "/tmp", "/")).then((works) =>
    works ? bubblewrapGitSandbox : noGitSandbox,
  );
  return cachedGitSandbox;
}

async function runsSuccessfully(command: CommandLine): Promise<boolean> {
  if (process.platform !== "linux") return false;
  const limits = {
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "" },
    limit: 1,
    signal: AbortSignal.timeout(probeTimeout),
  };
  return await runBounded(command, limits).then(
    ({ code }) => code === 0,
    () => false,
  );
}
