import { spawnSync } from "node:child_process";

/** How everything that an agent starts is held together. */
export type Containment =
  /** By the kernel: nothing gets out, and all of it ends with the keeper. `program` is where bubblewrap is. */
  | { readonly kind: "namespace"; readonly program: string }
  /** By looking for it: group, descendants and marks. */
  | { readonly kind: "descendants" };

/**
 * The machine as it is, but with process numbers of its own; to end with whoever has started it. A session of its own,
 * because an agent that signals its process group must not hit bubblewrap.
 */
export const namespaceArguments: readonly string[] =
  "--dev-bind / / --unshare-pid --proc /proc --die-with-parent --new-session".split(" ");

const candidates = ["/usr/bin/bwrap", "bwrap"];
const probePatience = 5000;

/** The strongest that works here, which only trying can tell: containers and kernels forbid it in many ways. */
export function findContainment(): Containment {
  if (process.platform !== "linux") return { kind: "descendants" };
  const program = candidates.find((candidate) => {
    const tried = [...namespaceArguments, "--json-status-fd", "1", "--", "true"];
    const { stdout } = spawnSync(candidate, tried, {
      timeout: probePatience,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return /"exit-code": *0\b/.test(stdout ?? "");
  });
  return program === undefined ? { kind: "descendants" } : { kind: "namespace", program };
}
