import type { AgentView, SessionView } from "@fairlead/api";
import { capabilitiesOf, type Adapter, type ProbeResult } from "@fairlead/contract";
import { livenessOf, type Session, type SessionSummary } from "@fairlead/runtime";

export interface SessionViewContext {
  /** The agent's display name. */
  readonly label: string;
  /** The session if this process drives it. Its state is more recent than the journal. */
  readonly driven: Session | undefined;
  readonly isLost: boolean;
  readonly now: number;
}

/** Builds the view of a session. */
export function toSessionView(summary: SessionSummary, context: SessionViewContext): SessionView {
  const { waitingFor, ...rest } = summary;
  return { ...rest, label: context.label, waitingFor: [...waitingFor], ...displayState(summary, context) };
}

function displayState(
  { state, since }: SessionSummary,
  { driven, isLost, now }: SessionViewContext,
): Pick<SessionView, "state" | "since"> {
  if (state === "ended" || state === "paused") return { state, since };
  if (isLost) return { state: "lost", since };
  if (driven === undefined) return { state, since };
  const { lastOutputAt, lastEventAt } = driven.state;
  const liveness = livenessOf(driven.state, now);
  const quietSince = { silent: lastOutputAt, stuck: lastEventAt }[liveness as string];
  return { state: liveness, since: quietSince == null ? since : new Date(quietSince).toISOString() };
}

/** Builds the view of an agent from its manifest and its probe result. */
export function toAgentView({ manifest }: Adapter, probeResult: ProbeResult, isVerified: boolean): AgentView {
  const { id: agent, label, vendor, version: adapterVersion, modes, models } = manifest;
  return {
    agent,
    label,
    vendor,
    adapterVersion,
    capabilities: [...capabilitiesOf(manifest, probeResult.version, probeResult.flags)],
    modes: [...modes],
    models: [...models],
    verified: isVerified,
    probeResult,
  };
}
