import type { AgentView } from "@fairlead/api";
import type { ReactNode } from "react";
import { CopyableCommand } from "../../components/copyable-command.tsx";
import { describeAuth, describeJudged, markOf, readProblem } from "../../state/agent-facts.ts";
import { AgentCapabilities } from "./agent-capabilities.tsx";

/** One agent: whether it is installed, how it signs in, what is wrong, and what it can do. */
export function AgentCard({ view }: { readonly view: AgentView }): ReactNode {
  const { agent, label, vendor, verified, modes, probeResult } = view;
  const { installed, version, program, problems } = probeResult;
  const judged = describeJudged(view);
  return (
    <li className="flex gap-3 border-b border-line px-3 py-3" data-agent={agent}>
      <span
        aria-hidden="true"
        className="flex size-8 shrink-0 items-center justify-center rounded-md border border-line bg-raised font-medium text-quiet"
      >
        {markOf(label)}
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        <h2 className="flex flex-wrap items-center gap-x-3">
          <bdi className="font-medium">{label}</bdi>
          <code className="font-mono text-sm text-quiet">{agent}</code>
          <span className={installed ? "text-good" : "text-quiet"}>
            {installed ? "✓ installed" : "✗ not installed"}
          </span>
          {!verified && <span className="text-waits">never judged</span>}
        </h2>
        <dl className="flex flex-wrap gap-x-6 gap-y-1 text-quiet">
          <Fact name="by">{vendor}</Fact>
          {version !== null && <Fact name="version">{version}</Fact>}
          {installed && <Fact name="signs in">{describeAuth(probeResult)}</Fact>}
          {judged !== undefined && <Fact name="judged">{judged.text}</Fact>}
          <Fact name="modes">{modes.join(", ")}</Fact>
          {program !== null && <Fact name="program">{program}</Fact>}
        </dl>
        {judged?.isOther === true && (
          <p className="text-waits">
            <span aria-hidden="true">! </span>
            The installed version was not judged.
          </p>
        )}
        {problems.map((problem) => {
          const { text, command } = readProblem(problem);
          return (
            <div key={problem} className="flex flex-col gap-1">
              <p className={installed ? "text-waits" : "text-quiet"}>
                {installed && <span aria-hidden="true">! </span>}
                {text}
              </p>
              {command !== null && <CopyableCommand command={command} />}
            </div>
          );
        })}
        {installed && <AgentCapabilities view={view} />}
      </div>
    </li>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: string }): ReactNode {
  return (
    <div className="flex min-w-0 gap-1.5">
      <dt>{name}</dt>
      <dd className="min-w-0 break-words text-ink">
        <bdi>{children}</bdi>
      </dd>
    </div>
  );
}
