import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { connectKeeper, type KeeperConnection } from "./client.ts";
import { exitReasons } from "./exit-codes.ts";
import { KeeperGone } from "./keeper-gone.ts";
import { leanFlags } from "./lean-flags.ts";
import { mainFile } from "./main-file.ts";
import { socketPath } from "./session-folder.ts";

const startPatience = 10_000;
const passedOn = ["PATH", "HOME", "FAIRLEAD_CONTAINMENT", "FAIRLEAD_SPOOL_BYTES", "FAIRLEAD_LEASE_MS"];

/** Starts a keeper for a session folder, made if need be. It goes on when we end, and knows nothing of our environment. */
export async function startKeeper(sessionFolder: string): Promise<KeeperConnection> {
  const folder = resolve(sessionFolder);
  socketPath(folder); // too long a path is found out before anything is started
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const child = spawn(process.execPath, [...leanFlags, "--expose-gc", mainFile(), folder], {
    cwd: "/", // so that no folder stays in use because of us
    detached: true,
    stdio: "ignore",
    env: pick(process.env, passedOn),
  });
  child.unref();
  try {
    return await reach(folder, child);
  } catch (error) {
    child.kill("SIGTERM");
    throw error;
  }
}

/** The socket is there when it answers, and not before; a keeper that has exited will never answer. */
async function reach(folder: string, child: ChildProcess): Promise<KeeperConnection> {
  const ended = new AbortController();
  const failed = (error: Error): void => ended.abort(error);
  const exited = (): void => ended.abort(new KeeperGone(`The keeper could not start: ${reasonOf(child)}.`));
  child.once("error", failed);
  child.once("exit", exited);
  const late = new KeeperGone(`The keeper of ${folder} did not answer within ${startPatience / 1000} seconds.`);
  const timer = setTimeout(() => ended.abort(late), startPatience);
  using _ = {
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      // Once it has started, its exit must not cut off the last that it says.
      child.off("exit", exited);
      child.off("error", failed);
    },
  };

  for (let pause = 2; ; pause = Math.min(pause * 1.5, 50)) {
    ended.signal.throwIfAborted();
    const connection = await connectKeeper(folder, { signal: ended.signal }).catch(() => null);
    if (connection !== null && connection.hello.pid === child.pid) return connection;
    await connection?.[Symbol.asyncDispose](); // an older keeper: ours will see it and exit
    await delay(pause);
  }
}

function reasonOf(child: ChildProcess): string {
  const { exitCode, signalCode } = child;
  return exitReasons.get(exitCode ?? -1) ?? `it ended with ${signalCode ?? `code ${exitCode}`}`;
}

function pick(env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
