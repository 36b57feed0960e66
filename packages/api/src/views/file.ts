import { FileChanged } from "@fairlead/contract";
import { z } from "zod";

/** The last change of a file, as the agent reported it or Fairlead observed it. */
export const FileView = z.strictObject({
  path: z.string(),
  change: FileChanged.shape.change,
  at: z.iso.datetime(),
  /** How the change is known. Missing if the agent reported it. */
  source: FileChanged.shape.source,
  /** What an observed change is attributed to. */
  attribution: FileChanged.shape.attribution,
});
export type FileView = z.infer<typeof FileView>;

export const Diff = z.strictObject({
  /**
   * The commit that the patch applies to: that of the session's start, or the last one if it is unknown. Null if there was
   * no commit, or there is no repository.
   */
  base: z.string().nullable(),
  patch: z.string(),
  /** Whether the patch exceeded the size limit and was cut. */
  truncated: z.boolean(),
});
export type Diff = z.infer<typeof Diff>;
