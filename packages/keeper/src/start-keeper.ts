import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import { dirname, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { formatUnattendedLimits, unattendedVariable, type UnattendedLimits } from "./keeper-deadlines.ts";
import { connectKeeper, type KeeperConnection } from "./protocol/connect-keeper.ts";
import { findKeeperMainFile, keeperExitCodes, keeperExitReasons, keeperNodeFlags } from "./keeper-program.ts";
import { KeeperGone } from "./protocol/keeper-gone.ts";
import { socketPath } from "./session-folder.ts";

const startTimeoutMs = 10_000;
const inheritedEnvNames = [
  "PATH",
  "HOME",
  "NODE_COMPILE_CACHE",
  "FAIRLEAD_CONTAINMENT",
  "FAIRLEAD_SPOOL_BYTES",
  "FAIRLEAD_LEASE_MS",
];

export interface StartKeeperOptions {
  /** Makes the keeper end agents that no client attends. */
  readonly unattended?: UnattendedLimits | undefined;
}

/**
 * Starts a keeper for a session folder and creates the folder if necessary. The keeper outlives this process and
 * inherits only the listed environment variables.
 */
export async function startKeeper(
  sessionFolder: string,
  { unattended }: StartKeeperOptions = {},
): Promise<KeeperConnection> {
  const folder = resolve(sessionFolder);
  socketPath(folder); // throws for a path that is too long, before anything is started
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const child = spawn(process.execPath, [...keeperNodeFlags, "--expose-gc", findKeeperMainFile(), folder], {
    cwd: "/", // so that the keeper does not block the removal or unmount of the current folder
    detached: true,
    stdio: "ignore",
    env: {
      ...findCompileCache(),
      ...pick(process.env, inheritedEnvNames),
      ...(unattended && { [unattendedVariable]: formatUnattendedLimits(unattended) }),
    },
  });
  child.unref();
  try {
    return await waitForKeeper(folder, child);
  } catch (error) {
    child.kill("SIGTERM");
    throw error;
  }
}

/** Retries until the keeper answers. The socket may exist before that. Fails at once if the keeper exits. */
async function waitForKeeper(folder: string, child: ChildProcess): Promise<KeeperConnection> {
  const abort = new AbortController();
  const onError = (error: Error): void => abort.abort(error);
  const onExit = (): void => {
    const isFinal = child.exitCode === keeperExitCodes.spoolDamaged;
    abort.abort(new KeeperGone(`The keeper could not start: ${describeExit(child)}.`, { isFinal }));
  };
  child.once("error", onError);
  child.once("exit", onExit);
  const timeoutError = new KeeperGone(
    `The keeper of ${folder} did not answer within ${startTimeoutMs / 1000} seconds.`,
  );
  const timer = setTimeout(() => abort.abort(timeoutError), startTimeoutMs);
  using _ = {
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      // After the start, an exit must not abort the connection: it may still carry the keeper's last replies.
      child.off("exit", onExit);
      child.off("error", onError);
    },
  };

  for (let pauseMs = 2; ; pauseMs = Math.min(pauseMs * 1.5, 50)) {
    abort.signal.throwIfAborted();
    const connection = await connectKeeper(folder, { signal: abort.signal }).catch(() => null);
    if (connection !== null && connection.hello.pid === child.pid) return connection;
    await connection?.[Symbol.asyncDispose](); // an earlier keeper answered: the new one will detect it and exit
    await delay(pauseMs);
  }
}

function describeExit(child: ChildProcess): string {
  const { exitCode, signalCode } = child;
  return keeperExitReasons.get(exitCode ?? -1) ?? `it exited with ${signalCode ?? `code ${exitCode}`}`;
}

/**
 * Returns the variable with which the keeper uses this process's compile cache, if it has one. Such a keeper starts in half the
 * time and needs a third less memory.
 */
function findCompileCache(): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir();
  // Node adds a folder for its own version.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

function pick(env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
