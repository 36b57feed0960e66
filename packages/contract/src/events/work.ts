import { z } from "zod";
import { ArtifactKind } from "../tools/artifact-kind.ts";

/** The agent says how far it is, by the tool `report_progress`. */
export const ProgressReported = z.strictObject({
  type: z.literal("progress.reported"),
  text: z.string(),
  /** From 0 to 100, if the agent knows it. */
  percent: z.number().min(0).max(100).optional(),
});

/** The agent names a file of the workspace as a result of its work, by the tool `produce_artifact`. */
export const ArtifactProduced = z.strictObject({
  type: z.literal("artifact.produced"),
  /** Relative to the workspace. */
  path: z.string(),
  kind: ArtifactKind,
  /** The size of the file when it was named. */
  bytes: z.int().nonnegative(),
  summary: z.string().optional(),
});
