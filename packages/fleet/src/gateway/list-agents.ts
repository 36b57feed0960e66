import type { AgentView } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import type { HostCalls } from "./host-calls.ts";

const hostTimeout = 15_000;

/**
 * Lists the agents of all hosts. Of an agent that several hosts have, it returns the view of a host on which it is installed. A
 * host that does not answer is left out. Throws `unavailable` if none answers.
 */
export async function listAgents(
  hosts: readonly string[],
  calls: HostCalls,
  signal: AbortSignal,
): Promise<readonly AgentView[]> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(hostTimeout)]);
  const answers = await Promise.allSettled(hosts.map((host) => calls.callHost(host, "agents", limit)));
  const lists = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value as AgentView[]] : []));
  if (lists.length === 0) {
    const reason = hosts.length === 0 ? "No host has joined the fleet." : "No host of the fleet answers.";
    throw new FairleadError("unavailable", `${reason} Start one with: fairlead host join --fleet FILE`);
  }
  const views = new Map<string, AgentView>();
  for (const view of lists.flat())
    if (views.get(view.agent)?.probeResult.installed !== true) views.set(view.agent, view);
  return [...views.values()];
}
