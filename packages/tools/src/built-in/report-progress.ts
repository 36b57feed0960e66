import { z } from "zod";
import { defineTool } from "../define-tool.ts";

/** Lets the agent say how far it is. The journal has `progress.reported`. */
export const reportProgress = defineTool({
  name: "report_progress",
  description:
    "Tells the people who follow this session how far you are. Use it when a part of the work is done, or when it takes longer than they may expect.",
  input: z.strictObject({
    text: z.string().min(1).max(2000).describe("One or two sentences."),
    percent: z.number().min(0).max(100).optional().describe("How much of the whole work is done, if you know it."),
  }),
  readOnly: true,
  run: () => "The progress is recorded.",
  report: ({ text, percent }) => ({ type: "progress.reported", text, ...(percent !== undefined && { percent }) }),
});
