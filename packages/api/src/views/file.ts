import { FileChanged } from "@fairlead/contract";
import { z } from "zod";

/** A file that the agent said it changed: what became of it in the end. */
export const FileView = z.strictObject({
  path: z.string(),
  change: FileChanged.shape.change,
  at: z.iso.datetime(),
});
export type FileView = z.infer<typeof FileView>;

export const Diff = z.strictObject({
  /** The commit that it is measured from; null when there is none, or no repository at all. */
  base: z.string().nullable(),
  patch: z.string(),
  /** Whether the patch was cut because it is too long. */
  truncated: z.boolean(),
});
export type Diff = z.infer<typeof Diff>;
