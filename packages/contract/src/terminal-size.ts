import { z } from "zod";

/** Size of a terminal in characters. */
export const TerminalSize = z.strictObject({
  columns: z.int().min(1).max(9999),
  rows: z.int().min(1).max(9999),
});
export type TerminalSize = z.infer<typeof TerminalSize>;
