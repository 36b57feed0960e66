import { spawnSync } from "node:child_process";
import type { Containment } from "./containment.ts";
import { noSandbox } from "./no-sandbox.ts";
import { sandboxArguments } from "./sandbox-arguments.ts";

const probeTimeoutMs = 5000;

/**
 * Returns why agents cannot run in a sandbox here, or null if they can. It tries, because a kernel or a container that
 * permits pid namespaces can still forbid user namespaces.
 */
export function findSandboxProblem(containment: Containment): string | null {
  if (containment.kind !== "namespace") {
    return process.platform === "linux"
      ? "bubblewrap is not installed, or the kernel does not permit namespaces"
      : `there is none for ${process.platform}`;
  }
  const probeArgs = sandboxArguments({
    sandbox: { ...noSandbox, kind: "bwrap", network: "none" },
    workspace: "/",
    home: "/",
    programs: [],
    sockets: [],
    isRoot: process.getuid?.() === 0,
    kindOf: (path) => (path === "/tmp" || path === "/run" ? "folder" : "missing"),
  });
  const { status, stderr } = spawnSync(containment.program, [...probeArgs, "--", "true"], {
    timeout: probeTimeoutMs,
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (status === 0) return null;
  const reason = stderr?.split("\n").find((line) => line !== "");
  return `bubblewrap fails: ${reason ?? "it did not end in time"}`;
}
