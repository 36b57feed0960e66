import { readFileSync } from "node:fs";
import { readKernelChildren } from "./kernel-descendants.ts";
import { readProcessIdentity, type ProcessIdentity } from "./process-identity.ts";
import { listProcesses } from "./kill-process-tree.ts";

/**
 * Finds the agent in a pid namespace, given the namespace's init process as seen from outside. The agent is the first
 * child of the init process. Returns null until that child has replaced its program with the agent's.
 */
export function findNamespacedAgent(initPid: number): ProcessIdentity | null {
  const isAgentPid = (pid: number): boolean => readNamespacePid(pid) === 2;
  const pid = readKernelChildren(initPid).find(isAgentPid) ?? childrenOf(initPid).find(isAgentPid);
  if (pid === undefined) return null;
  const commandLine = readProcFile(`/proc/${pid}/cmdline`);
  return commandLine === "" || commandLine === readProcFile(`/proc/${initPid}/cmdline`)
    ? null
    : readProcessIdentity(pid);
}

function childrenOf(initPid: number): number[] {
  return listProcesses().flatMap(({ pid, parent }) => (parent === initPid ? [pid] : []));
}

function readNamespacePid(pid: number): number {
  return Number(/^NSpid:.*\t(\d+)$/m.exec(readProcFile(`/proc/${pid}/status`))?.[1]);
}

function readProcFile(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
