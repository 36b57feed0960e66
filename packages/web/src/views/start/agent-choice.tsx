import type { AgentView, Scope } from "@fairlead/api";
import type { ReactNode } from "react";
import { whyUnavailable } from "../../state/start-form.ts";

interface AgentChoiceProps {
  readonly agents: readonly AgentView[];
  readonly scopes: readonly Scope[];
  readonly chosen: string;
  readonly onChoose: (agent: string) => void;
}

/** The agents of the service. One that cannot be started says why, and the chosen one what may be missing. */
export function AgentChoice({ agents, scopes, chosen, onChoose }: AgentChoiceProps): ReactNode {
  const available = agents.filter((view) => whyUnavailable(view, scopes) === null);
  const others = agents.filter((view) => whyUnavailable(view, scopes) !== null);
  return (
    <fieldset className="flex min-w-0 flex-col gap-1">
      <legend className="mb-1 font-medium">Agent</legend>
      {available.map(({ agent, label, probeResult }) => (
        <div key={agent}>
          <label className="flex min-h-8 items-center gap-2 max-sm:min-h-11">
            <input
              type="radio"
              name="agent"
              value={agent}
              checked={chosen === agent}
              onChange={() => onChoose(agent)}
            />
            {label}
            <span className="text-sm text-quiet">{probeResult.version}</span>
          </label>
          {chosen === agent &&
            probeResult.problems.map((problem) => (
              <p key={problem} className="pl-5 text-sm text-waits">
                <span aria-hidden="true">! </span>
                {problem.replaceAll("`", "")}
              </p>
            ))}
        </div>
      ))}
      {others.length > 0 && (
        <details className="text-quiet">
          <summary className="cursor-pointer py-1 hover:text-ink max-sm:py-3">
            {others.length} more cannot be started here
          </summary>
          <ul>
            {others.map((view) => (
              <li key={view.agent} className="py-1">
                {view.label} <span className="block text-sm break-words">{whyUnavailable(view, scopes)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </fieldset>
  );
}
