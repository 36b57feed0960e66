import type { AgentView, SessionView } from "@fairlead/api";
import { capabilitiesOf, type Adapter, type Finding } from "@fairlead/contract";
import { livenessOf, type Session, type Summary } from "@fairlead/runtime";

export interface Surroundings {
  /** The agent's name as people read it. */
  readonly label: string;
  /** The session, if this process drives it: then it is known better than the journal tells. */
  readonly driven: Session | undefined;
  readonly lost: boolean;
  readonly now: number;
}

/** A session in a line. */
export function sessionView(summary: Summary, surroundings: Surroundings): SessionView {
  const { agent: agent, waitingFor, ...rest } = summary;
  const { label } = surroundings;
  return { ...rest, agent, label, waitingFor: [...waitingFor], ...stateOf(summary, surroundings) };
}

function stateOf({ state, since }: Summary, { driven, lost, now }: Surroundings): Pick<SessionView, "state" | "since"> {
  if (state === "ended" || state === "paused") return { state, since };
  if (lost) return { state: "lost", since };
  if (driven === undefined) return { state, since };
  const { heardAt, toldAt } = driven.state;
  const liveness = livenessOf(driven.state, now);
  const quiet = { silent: heardAt, stuck: toldAt }[liveness as string];
  return { state: liveness, since: quiet == null ? since : new Date(quiet).toISOString() };
}

/** An agent, as its adapter describes it and as it was found here. */
export function agentView({ manifest }: Adapter, finding: Finding, verified: boolean): AgentView {
  const { id: agent, label, vendor, version: adapterVersion, modes, models } = manifest;
  return {
    agent,
    label,
    vendor,
    adapterVersion,
    capabilities: [...capabilitiesOf(manifest, finding.version)],
    modes: [...modes],
    models: [...models],
    verified,
    finding,
  };
}
