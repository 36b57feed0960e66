import { fileURLToPath } from "node:url";
import type { DaemonAddress } from "./daemon-address.ts";

/**
 * Node's flags for the daemon. The heap grows by at most 30 percent between collections, so that neither a flood of events
 * nor clients that do not read make the process large. The young generation is large enough for what hundreds of sessions
 * replace ten times a second: V8 would otherwise promote it, and collecting the old generation stops all sessions.
 */
export const daemonNodeFlags: readonly string[] = ["--max-semi-space-size=8", "--heap-growing-percent=30"];

/** Returns the command line of the daemon process. The daemon runs from source if this module does, else compiled. */
export function daemonCommand({ listen, origins }: DaemonAddress): readonly [program: string, ...words: string[]] {
  const mainFile = fileURLToPath(new URL(`./main.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url));
  const words = [
    ...(listen === null ? [] : ["--listen", listen]),
    ...origins.flatMap((origin) => ["--origin", origin]),
  ];
  // Only the flags that select source or compiled packages. The caller's other flags, such as --eval or --inspect, are for
  // the caller: with them the daemon would run the caller's program or compete for its port.
  const conditions = process.execArgv.filter((flag) => flag.startsWith("--conditions="));
  return [process.execPath, ...daemonNodeFlags, ...conditions, mainFile, ...words];
}
