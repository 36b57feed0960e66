import type { ArtifactKind } from "./artifact-kind.ts";

export type Severity = "warning" | "low" | "medium" | "high" | "critical";
export type ErrorKind = "provider" | "tool" | "model" | "timeout" | "internal";
type Json = Readonly<Record<string, unknown>>;

export interface DecisionOption {
  readonly id: string;
  readonly label: string;
  readonly description: string;
}

/** What can be told over this protocol, without the name of the agent, which every one of them carries. */
export type Telling =
  | { readonly type: "status"; readonly message: string }
  | {
      readonly type: "tool_call";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly phase: "requested" | "running" | "completed" | "failed";
      readonly input: Json;
      /** Null until the call is over. */
      readonly output: string | null;
      /** Whether it was let run, as far as is known by then. */
      readonly approved: boolean;
    }
  | {
      readonly type: "decision";
      readonly subtype: "tool_approval";
      readonly decisionId: string;
      readonly toolName: string;
      readonly toolArgs: Json;
      readonly severity: Severity;
    }
  | {
      readonly type: "decision";
      readonly subtype: "option";
      readonly decisionId: string;
      readonly title: string;
      readonly summary: string;
      readonly options: readonly DecisionOption[];
      readonly severity: Severity;
      readonly confidence: number;
      readonly blastRadius: "unknown";
      readonly affectedArtifactIds: readonly string[];
      readonly requiresRationale: boolean;
    }
  | {
      readonly type: "artifact";
      readonly artifactId: string;
      readonly name: string;
      readonly kind: ArtifactKind;
      readonly workstream: string;
      readonly uri: string;
      readonly status: "draft";
      readonly qualityScore: number;
      readonly provenance: { readonly createdBy: string; readonly createdAt: string; readonly sourcePath: string };
    }
  | {
      readonly type: "completion";
      readonly summary: string;
      readonly outcome: "success" | "partial" | "abandoned" | "max_turns";
      readonly artifactsProduced: readonly string[];
      readonly decisionsNeeded: readonly string[];
    }
  | {
      readonly type: "error";
      readonly severity: Severity;
      readonly message: string;
      readonly category: ErrorKind;
      readonly recoverable: boolean;
      readonly errorCode: string;
    }
  | {
      readonly type: "lifecycle";
      readonly action: "started" | "paused" | "resumed" | "killed" | "crashed";
      readonly reason?: string;
    }
  | {
      readonly type: "progress";
      readonly operationId: string;
      readonly description: string;
      /** Null when nobody can say how far it is. */
      readonly progressPct: number | null;
    };

/** One event as it goes over the wire. */
export interface AdapterEvent {
  readonly sourceEventId: string;
  /** Dense, from 1, within one run. */
  readonly sourceSequence: number;
  readonly sourceOccurredAt: string;
  readonly runId: string;
  readonly event: Telling & { readonly agentId: string };
}
