import type { AgentView, SessionView, UsageView } from "@fairlead/api";
import { capabilitiesOf, type Adapter, type Capability, type ProbeResult } from "@fairlead/contract";
import { estimateUsage, livenessOf, quietTimesOf } from "@fairlead/runtime";
import type { ActivitySummary, Session, SessionFailure, SessionSummary, SessionUsage } from "@fairlead/runtime";

export interface SessionViewContext {
  /** The agent's display name. */
  readonly label: string;
  /** What the agent can do in this session. */
  readonly capabilities: readonly Capability[];
  /** The session if this process drives it. Its state is more recent than the journal. */
  readonly driven: Session | undefined;
  /** Why this process cannot drive the session, if it has tried. */
  readonly failure: SessionFailure | undefined;
  readonly isLost: boolean;
  /** Whether the session has no keeper. Asked only for a session that this process fails to drive. */
  readonly hasNoKeeper: () => boolean;
  readonly now: number;
}

/** What is known of a session from its events. */
export interface SessionFacts {
  readonly summary: SessionSummary;
  readonly activity: ActivitySummary;
}

/** Builds the view of a session. */
export function toSessionView({ summary, activity }: SessionFacts, context: SessionViewContext): SessionView {
  const { waitingFor, protocol: _, ...rest } = summary;
  const { label, capabilities } = context;
  const { recentEvents } = activity;
  const isSettled = summary.state === "paused" || summary.state === "ended";
  return {
    ...rest,
    ...activity,
    recentEvents: recentEvents && { ...recentEvents, counts: [...recentEvents.counts] },
    label,
    capabilities: [...capabilities],
    waitingFor: [...waitingFor],
    nearLimits: isSettled ? [] : [...(context.driven?.state.spending.warned ?? [])],
    pid: context.driven?.agentPid ?? null,
    ...displayState(summary, context),
    problem: summary.problem ?? (summary.state === "ended" ? null : describeFailure(context.failure)),
  };
}

function displayState(
  { state, since }: SessionSummary,
  { driven, failure, isLost, hasNoKeeper, now }: SessionViewContext,
): Pick<SessionView, "state" | "since"> {
  if (state === "ended") return { state, since };
  if (failure !== undefined && driven === undefined) {
    if (failure.retryIn === null) return { state: "damaged", since: new Date(failure.since).toISOString() };
    // A failure that is retried does not change the state: the agent works, and its events are recorded later. Without a
    // keeper there is no agent that could work.
    return state !== "paused" && hasNoKeeper() ? { state: "lost", since } : { state, since };
  }
  if (state === "paused" || state === "damaged") return { state, since };
  if (isLost) return { state: "lost", since };
  if (driven === undefined) return { state, since };
  const { outputSince, eventSince } = quietTimesOf(driven.state);
  const liveness = livenessOf(driven.state, now);
  const quietSince = { silent: outputSince, stuck: eventSince }[liveness as string];
  return { state: liveness, since: quietSince === undefined ? since : new Date(quietSince).toISOString() };
}

/** Describes why this process cannot drive a session, and whether it tries again. */
function describeFailure(failure: SessionFailure | undefined): string | null {
  if (failure === undefined) return null;
  const { error, retryIn } = failure;
  const reason = error instanceof Error ? error.message : String(error);
  const hint = retryIn === null ? "Fairlead cannot drive this session." : "Fairlead tries again to drive this session.";
  return `${hint} ${reason}`;
}

/** Builds the view of a model's usage. An estimate stays apart from what the agent reported. */
export async function toUsageView(
  usage: SessionUsage,
  { workspace, room }: Pick<SessionSummary, "workspace" | "room">,
): Promise<UsageView> {
  const { unpriced: _, ...reported } = usage;
  return { ...reported, workspace, room, estimate: await estimateUsage(usage) };
}

/** What the conformance suite said about an agent. */
export interface ConformanceFacts {
  readonly isVerified: boolean;
  readonly judged: NonNullable<AgentView["judged"]>;
}

/** Builds the view of an agent from its manifest, its probe result and what the conformance suite said. */
export function toAgentView(
  { manifest }: Adapter,
  probeResult: ProbeResult,
  { isVerified, judged }: ConformanceFacts,
): AgentView {
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
    judged: [...judged],
    probeResult,
  };
}
