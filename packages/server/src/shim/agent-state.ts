import { Checkpoint } from "@fairlead/api";
import { z } from "zod";
import { AgentBrief } from "./agent-brief.ts";

/** The reason why a state was serialized. */
export type SerializedBy = "pause" | "kill_grace" | "decision_checkpoint";

/** The serialized state of an agent, as the shim returns it. */
export interface SerializedAgentState {
  readonly agentId: string;
  readonly pluginName: string;
  readonly sessionId: string;
  readonly checkpoint: {
    readonly sdk: string;
    /** The agent's own session id, once it has one. */
    readonly sessionId: string;
    readonly stateSnapshot: Checkpoint;
    /** Only for the mock. */
    readonly scriptPosition?: number;
  };
  readonly briefSnapshot: AgentBrief;
  readonly pendingDecisionIds: readonly string[];
  /** The `sourceSequence` of the newest event in this state. */
  readonly lastSequence: number;
  readonly serializedAt: string;
  readonly serializedBy: SerializedBy;
  readonly estimatedSizeBytes: number;
}

/** The part of a serialized state that the shim needs to resume the session. */
export const ResumeAgentState = z.looseObject({
  sessionId: z.string().min(1),
  briefSnapshot: AgentBrief,
  checkpoint: z
    .looseObject({ stateSnapshot: Checkpoint.optional(), scriptPosition: z.int().nonnegative().optional() })
    .optional(),
});
export type ResumeAgentState = z.infer<typeof ResumeAgentState>;
