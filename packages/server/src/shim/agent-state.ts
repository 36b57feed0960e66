import { Checkpoint } from "@fairlead/api";
import { z } from "zod";
import { AgentBrief } from "./agent-brief.ts";

/** Why a state was written down. */
export type SerializedBy = "pause" | "kill_grace" | "decision_checkpoint";

/** An agent written down, as it is given. */
export interface SerializedAgentState {
  readonly agentId: string;
  readonly pluginName: string;
  readonly sessionId: string;
  readonly checkpoint: {
    readonly sdk: string;
    /** The agent's own name for the conversation, once it has one. */
    readonly sessionId: string;
    readonly stateSnapshot: Checkpoint;
    /** Only of the mock. */
    readonly scriptPosition?: number;
  };
  readonly briefSnapshot: AgentBrief;
  readonly pendingDecisionIds: readonly string[];
  /** The `sourceSequence` of the newest event that it knows of. */
  readonly lastSequence: number;
  readonly serializedAt: string;
  readonly serializedBy: SerializedBy;
  readonly estimatedSizeBytes: number;
}

/** The same, as it is taken back: what we need to find the session again. */
export const GivenState = z.looseObject({
  sessionId: z.string().min(1),
  briefSnapshot: AgentBrief,
  checkpoint: z
    .looseObject({ stateSnapshot: Checkpoint.optional(), scriptPosition: z.int().nonnegative().optional() })
    .optional(),
});
export type GivenState = z.infer<typeof GivenState>;
