import { fileURLToPath } from "node:url";
import { daemonFlags } from "./daemon-flags.ts";

/** The command that is the daemon: this one, as it runs here, from source or compiled. */
export function daemonCommand(listen: string | null): readonly [program: string, ...words: string[]] {
  const main = fileURLToPath(new URL(`../main.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url));
  const words = ["up", "--foreground", ...(listen === null ? [] : ["--listen", listen])];
  return [process.execPath, ...daemonFlags, ...process.execArgv, main, ...words];
}
