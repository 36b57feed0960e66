import { findNamespacedAgent } from "./find-namespaced-agent.ts";
import { readKernelChildren } from "./kernel-descendants.ts";

/**
 * Returns the process id of the agent that a keeper runs, as seen from outside of its namespace; null if there is none, or
 * if the system has no list of children. A keeper has no other child, except bubblewrap, which starts the agent.
 */
export function findAgentProcess(keeperPid: number): number | null {
  const [child] = readKernelChildren(keeperPid);
  if (child === undefined) return null;
  const [init] = readKernelChildren(child);
  return (init === undefined ? null : findNamespacedAgent(init)?.pid) ?? child;
}
