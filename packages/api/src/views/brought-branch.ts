import { z } from "zod";

/** What `bring` fetched from an isolated copy into the person's repository. */
export const BroughtBranch = z.strictObject({
  /** The branch in the person's repository, and in the copy. */
  branch: z.string(),
  /** The commit that the branch leads to; null if the copy has no commit of its own, and nothing was brought. */
  commit: z.string().nullable(),
  /** The commit that the branch started from. */
  base: z.string(),
  /** The number of commits since then. */
  commits: z.int().nonnegative(),
  /** The number of those that were not brought before. */
  newCommits: z.int().nonnegative(),
  /** The number of files that differ from the base. */
  files: z.int().nonnegative(),
  /** Changed files that could run something when a person builds, commits, or opens the project. At most 1000. */
  runnable: z.array(z.strictObject({ path: z.string(), reason: z.string() })),
  /** Files that are not committed in the copy. They were not brought. At most 1000. */
  uncommitted: z.array(z.string()),
  /** The number of files that are not committed. */
  uncommittedFiles: z.int().nonnegative(),
  /** The number of commits on other branches of the copy. They were not brought. */
  otherCommits: z.int().nonnegative(),
  /** The folder of the copy. */
  folder: z.string(),
});
export type BroughtBranch = z.infer<typeof BroughtBranch>;
