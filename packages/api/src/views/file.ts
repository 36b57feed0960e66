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
  /** Set if the agent wrote the file to a folder that only its sandbox had, so that it is not on the disk. */
  discarded: z.literal(true).optional(),
  /** The room of the workspace that the file is in. Missing if it is in none. */
  room: z.string().optional(),
});
export type FileView = z.infer<typeof FileView>;

/** Which changes to show. */
export const DiffQuery = z.strictObject({
  /** The number of a turn, from 1: only what changed while it was open. */
  turn: z.coerce.number().pipe(z.int().positive()).optional(),
  /**
   * Since when: `start` is the start of the session, which is the default; `commit` is the last commit of the workspace's
   * repository, so only what is not committed. Cannot be combined with `turn`.
   */
  since: z.enum(["start", "commit"]).optional(),
  /** A room of the workspace: only what changed in it. */
  room: z.string().optional(),
});
export type DiffQuery = z.infer<typeof DiffQuery>;

export const Diff = z.strictObject({
  /**
   * The commit that the patch applies to: that of the session's start, or the last one if it is unknown or was asked for.
   * Null if there was no commit, there is no repository, or the patch is of one turn.
   */
  base: z.string().nullable(),
  patch: z.string(),
  /** Whether the patch exceeded the size limit and was cut. */
  truncated: z.boolean(),
  /** Changed files that are not in the patch of a turn or of a folder without a commit: they were too large to be kept. */
  omitted: z.array(z.string()).optional(),
});
export type Diff = z.infer<typeof Diff>;
