import { FileChanged } from "@fairlead/contract";
import { z } from "zod";

/** The last change of a file that the agent reported. */
export const FileView = z.strictObject({
  path: z.string(),
  change: FileChanged.shape.change,
  at: z.iso.datetime(),
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
