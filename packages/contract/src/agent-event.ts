import { z } from "zod";
import { DecisionRequested, DecisionResolved } from "./events/decision.ts";
import { LeadChanged } from "./events/lead.ts";
import { MessageQueued, MessageReturned } from "./events/message.ts";
import { NetworkJudged } from "./events/network.ts";
import { ErrorRaised, QuotaReported, StatusReported, Unrecognized, UsageReported } from "./events/report.ts";
import {
  SessionChanged,
  SessionEnded,
  SessionPaused,
  SessionResumed,
  SessionStarted,
  SessionUnpaused,
} from "./events/session.ts";
import { FileChanged, ToolEnded, ToolProgressed, ToolRequested, ToolStarted } from "./events/tool.ts";
import {
  BriefUpdated,
  ContextCompacted,
  ContextInjected,
  PlanUpdated,
  ReasoningEnded,
  TextEnded,
  TurnEnded,
  TurnStarted,
  TurnSteered,
} from "./events/turn.ts";
import { ArtifactProduced, ProgressReported } from "./events/work.ts";
import type { TerminalSize } from "./terminal-size.ts";

/** All event bodies of a session. A closed union; types are `noun.verb` in the past tense because each is a fact. */
export const AgentEvent = z.discriminatedUnion("type", [
  SessionStarted,
  SessionChanged,
  SessionPaused,
  SessionUnpaused,
  SessionResumed,
  SessionEnded,
  LeadChanged,
  MessageQueued,
  MessageReturned,
  TurnStarted,
  TurnSteered,
  TurnEnded,
  TextEnded,
  ReasoningEnded,
  PlanUpdated,
  ContextInjected,
  BriefUpdated,
  ContextCompacted,
  ToolRequested,
  ToolStarted,
  ToolProgressed,
  ToolEnded,
  FileChanged,
  ProgressReported,
  ArtifactProduced,
  DecisionRequested,
  DecisionResolved,
  NetworkJudged,
  UsageReported,
  QuotaReported,
  StatusReported,
  ErrorRaised,
  Unrecognized,
]);
export type AgentEvent = z.infer<typeof AgentEvent>;
export type AgentEventType = AgentEvent["type"];
/** The event of one type: `EventOf<"tool.ended">`. */
export type EventOf<Type extends AgentEventType> = Extract<AgentEvent, { type: Type }>;

/**
 * A fragment of streamed text. Deltas have no sequence number and are not stored; the `text.ended` or `reasoning.ended`
 * that follows is the fact. A `screen` delta is raw output of the agent's own terminal, with escape sequences, while a
 * person leads; no event follows it.
 */
export interface Delta {
  readonly type: "text.delta" | "reasoning.delta" | "screen";
  readonly text: string;
  readonly parent?: string;
  /** Of a `screen` delta: the size of the terminal that draws it. Missing if this process did not set the size. */
  readonly size?: TerminalSize;
}

/** Whether a text is complete with this event: it has the whole text or the last part of it. */
export function isTextComplete({ part, last }: EventOf<"text.ended" | "reasoning.ended">): boolean {
  return part === undefined || last === true;
}
