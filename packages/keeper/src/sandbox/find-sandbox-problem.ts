import { execFile } from "node:child_process";
import { bwrapCandidates } from "../process/containment.ts";
import { launchSandboxArguments } from "./launch-sandbox-arguments.ts";
import { probeLaunch } from "./probe-launch.ts";

const probeTimeoutMs = 5000;

/**
 * Returns why agents cannot run in a sandbox here, or null if they can. It tries, because a kernel or a container that
 * permits pid namespaces can still forbid user namespaces.
 */
export async function findSandboxProblem(candidates: readonly string[] = bwrapCandidates): Promise<string | null> {
  if (process.env["FAIRLEAD_CONTAINMENT"] === "descendants") return "FAIRLEAD_CONTAINMENT turns it off.";
  if (process.platform !== "linux") return `There is none for ${process.platform}.`;
  const probeArgs = launchSandboxArguments(probeLaunch, null);
  let problem = "bubblewrap is not installed.";
  for (const candidate of candidates) {
    // Node itself is in every sandbox. Which other programs are depends on the PATH.
    const failure = await tryProgram(candidate, [...probeArgs, "--", process.execPath, "--version"]);
    if (failure === null) return null;
    if (failure.code !== "ENOENT") problem = `bubblewrap fails: ${failure.message}`;
  }
  return problem;
}

function tryProgram(program: string, args: readonly string[]): Promise<{ code: unknown; message: string } | null> {
  return new Promise((resolve) => {
    execFile(program, [...args], { timeout: probeTimeoutMs }, (error, _stdout, stderr) => {
      const message = stderr.split("\n").find((line) => line !== "") ?? error?.message ?? "";
      resolve(error === null ? null : { code: error.code, message });
    });
  });
}
