import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useFairlead } from "../../app/fairlead-context.ts";
import { Button } from "../../components/button.tsx";
import { ProblemText } from "../../components/problem-text.tsx";
import { sortAgents } from "../../state/agent-facts.ts";
import { AgentCard } from "./agent-card.tsx";

/** What each agent can do on this machine, and what is missing, as `fairlead doctor` says it. */
export function AgentsView(): ReactNode {
  const fairlead = useFairlead();
  const { data, error, isFetching, refetch } = useQuery({ queryKey: ["agents"], queryFn: () => fairlead.agents() });
  if (data === undefined) return error === null ? null : <ProblemText error={error} />;
  const agents = sortAgents(data);
  const installed = agents.filter(({ probeResult }) => probeResult.installed).length;
  return (
    <div className="h-full overflow-y-auto">
      <div className="flex min-h-10 flex-wrap items-center gap-3 border-b border-line px-3 py-1">
        <h1 className="font-medium">Agents</h1>
        <span className="text-quiet">
          {installed} of {agents.length} installed on the machine of this service
        </span>
        <span className="flex-1" />
        <Button disabled={isFetching} onClick={() => void refetch()}>
          Check again
        </Button>
      </div>
      {error !== null && <ProblemText error={error} />}
      <ul className="flex flex-col">
        {agents.map((agent) => (
          <AgentCard key={agent.agent} view={agent} />
        ))}
      </ul>
    </div>
  );
}
