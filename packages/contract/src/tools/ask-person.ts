import { z } from "zod";
import type { Question } from "../events/decision.ts";

/** The input of a tool that asks the person. */
export const AskPersonInput = z.strictObject({
  question: z.string().min(1).max(4000).describe("The question, with everything that the person needs to answer it."),
  options: z
    .array(z.strictObject({ label: z.string().min(1).max(200), description: z.string().max(1000).optional() }))
    .max(20)
    .default([])
    .describe("The answers to choose from. Without options, the person answers with a text."),
  several: z.boolean().default(false).describe("Whether the person may choose several options."),
});
export type AskPersonInput = z.infer<typeof AskPersonInput>;

/** The question as a person sees it. */
export const questionOf = ({ question, options, several }: AskPersonInput): Question => ({
  text: question,
  options,
  multiSelect: several,
});
