import { spawnSync } from "node:child_process";

/** What keeps an agent and everything it starts together, so that all of it can be ended. */
export type Containment =
  /** A pid namespace: no process can leave it, and all of them end with the keeper. `program` is bubblewrap. */
  | { readonly kind: "namespace"; readonly program: string }
  /** A search for the process group, the descendants and the environment markers. */
  | { readonly kind: "descendants" };

/**
 * Bubblewrap arguments for an unchanged file system with a separate pid namespace that ends with its parent process. It
 * gets its own session, because an agent that signals its process group must not hit bubblewrap.
 */
export const namespaceArguments: readonly string[] =
  "--dev-bind / / --unshare-pid --proc /proc --die-with-parent --new-session".split(" ");

/** The first is the one that security modules of distributions permit to make namespaces. */
export const bwrapCandidates: readonly string[] = ["/usr/bin/bwrap", "bwrap"];
const probeTimeoutMs = 5000;

/**
 * Finds the strongest containment that works here. It tries, because containers and kernels forbid namespaces in many
 * ways.
 */
export function findContainment(): Containment {
  if (process.platform !== "linux") return { kind: "descendants" };
  const program = bwrapCandidates.find((candidate) => {
    // Bubblewrap runs itself. Which other programs there are depends on the PATH.
    const probeArgs = [...namespaceArguments, "--json-status-fd", "1", "--", candidate, "--version"];
    const { stdout } = spawnSync(candidate, probeArgs, {
      timeout: probeTimeoutMs,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return /"exit-code": *0\b/.test(stdout ?? "");
  });
  return program === undefined ? { kind: "descendants" } : { kind: "namespace", program };
}
