import type { LaunchSpec } from "../process/contained-process.ts";
import { launchSandboxArguments } from "./launch-sandbox-arguments.ts";
import { noSandbox } from "./no-sandbox.ts";

/** A launch in a sandbox that shows no more than every sandbox does. */
export const probeLaunch: Omit<LaunchSpec, "network"> = {
  command: { program: "true", args: [], env: {}, cwd: "/usr", stdin: "none" },
  env: {},
  envMarkers: [],
  sandbox: { ...noSandbox, kind: "bwrap", workspace: "read", network: "none" },
  terminal: null,
};

/**
 * Runs the code that computes the arguments of a sandbox. Node compiles a function when it is first called, which takes
 * about as long as the rest, and a session waits for its first launch.
 */
export function warmSandboxCode(env: NodeJS.ProcessEnv): void {
  const { PATH = "", HOME = "" } = env;
  try {
    launchSandboxArguments({ ...probeLaunch, env: { PATH, HOME } }, null);
  } catch {
    // A launch would report it.
  }
}
