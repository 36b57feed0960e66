import type { ArtifactKind } from "@fairlead/contract";

export type ShimSeverity = "warning" | "low" | "medium" | "high" | "critical";
export type ShimErrorCategory = "provider" | "tool" | "model" | "timeout" | "internal";
type JsonRecord = Readonly<Record<string, unknown>>;

export interface ShimDecisionOption {
  readonly id: string;
  readonly label: string;
  readonly description: string;
}

/** A message of the shim protocol, without the agent's id that every message carries. */
export type ShimMessage =
  | { readonly type: "status"; readonly message: string }
  | {
      readonly type: "tool_call";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly phase: "requested" | "running" | "completed" | "failed";
      readonly input: JsonRecord;
      /** Null until the call has ended. */
      readonly output: string | null;
      /** Whether the call was allowed to run, as far as is known. */
      readonly approved: boolean;
    }
  | {
      readonly type: "decision";
      readonly subtype: "tool_approval";
      readonly decisionId: string;
      readonly toolName: string;
      readonly toolArgs: JsonRecord;
      readonly severity: ShimSeverity;
    }
  | {
      readonly type: "decision";
      readonly subtype: "option";
      readonly decisionId: string;
      readonly title: string;
      readonly summary: string;
      readonly options: readonly ShimDecisionOption[];
      readonly severity: ShimSeverity;
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
      readonly severity: ShimSeverity;
      readonly message: string;
      readonly category: ShimErrorCategory;
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
      /** Null if the progress is unknown. */
      readonly progressPct: number | null;
    };

/** One event of the shim protocol. */
export interface AdapterEvent {
  readonly sourceEventId: string;
  /** Starts at 1 in each run, without gaps. */
  readonly sourceSequence: number;
  readonly sourceOccurredAt: string;
  readonly runId: string;
  readonly event: ShimMessage & { readonly agentId: string };
}

/** The agent that the messages are about, in the names of the client that started it. */
export interface ShimMessageSource {
  readonly agentId: string;
  readonly workstream: string;
}

/** Wraps a tool's input as an object, because the protocol requires one and agents may use any JSON value. */
export function toJsonObject(input: unknown): JsonRecord {
  if (input === undefined || input === null) return {};
  if (typeof input === "object" && !Array.isArray(input)) return input as JsonRecord;
  return { value: input };
}
