import type { AgentView } from "@fairlead/api";
import type { ReactNode } from "react";
import { whyUnavailable } from "../../state/start-form.ts";

interface AgentChoiceProps {
  readonly agents: readonly AgentView[];
  readonly chosen: string;
  readonly onChoose: (agent: string) => void;
}

/** The agents of the service. One that is not installed says why. */
export function AgentChoice({ agents, chosen, onChoose }: AgentChoiceProps): ReactNode {
  const available = agents.filter((view) => whyUnavailable(view) === null);
  const others = agents.filter((view) => whyUnavailable(view) !== null);
  return (
    <fieldset className="flex min-w-0 flex-col gap-1">
      <legend className="mb-1 font-medium">Agent</legend>
      {available.map(({ agent, label, probeResult }) => (
        <label key={agent} className="flex min-h-8 items-center gap-2 max-sm:min-h-11">
          <input type="radio" name="agent" value={agent} checked={chosen === agent} onChange={() => onChoose(agent)} />
          {label}
          <span className="text-sm text-quiet">{probeResult.installed && probeResult.version}</span>
        </label>
      ))}
      {others.length > 0 && (
        <details className="text-quiet">
          <summary className="cursor-pointer py-1 hover:text-ink max-sm:py-3">
            {others.length} more cannot be started here
          </summary>
          <ul>
            {others.map((view) => (
              <li key={view.agent} className="py-1">
                {view.label} <span className="block text-sm break-words">{whyUnavailable(view)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </fieldset>
  );
}
