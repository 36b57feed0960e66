import { ReviewFinding } from "@fairlead/api";
import type { Fairlead } from "@fairlead/api";
import { defineTool } from "@fairlead/tools";
import { toolServerName } from "@fairlead/contract";
import { z } from "zod";

export const Review = z.strictObject({
  verdict: z.enum(["approve", "changes"]).describe("`changes` sends the work back. `approve` lets a person decide."),
  findings: z.array(ReviewFinding).max(200).default([]).describe("What you found. Required for the verdict `changes`."),
});
export type Review = z.infer<typeof Review>;

const toolName = "submit_review";

/** The tool by which a reviewer says what it found. Its calls are read from the journal of the session. */
export const submitReview = defineTool({
  name: toolName,
  description: "Submit your review: the verdict and all findings. Call it once, when you have read the whole change.",
  input: Review,
  readOnly: true,
  run: ({ verdict, findings }) => {
    if (verdict === "changes" && findings.length === 0)
      throw new Error("The verdict `changes` needs at least one finding, so that the work can be repaired.");
    return `Recorded: ${verdict}, ${findings.length} findings. Your work is done.`;
  },
});

/** Finds the last review that a session has submitted after an event. Returns null if it has submitted none. */
export async function findReview(fairlead: Fairlead, session: string, after: number): Promise<Review | null> {
  const requested = new Map<string, unknown>();
  let review: Review | null = null;
  for await (const event of fairlead.events(session, { after })) {
    if (!("body" in event)) continue;
    const { body } = event;
    if (body.type === "tool.requested" && isReviewTool(body.name)) requested.set(body.call, body.input);
    if (body.type === "tool.ended" && body.ok && requested.has(body.call))
      review = Review.safeParse(requested.get(body.call)).data ?? review;
  }
  return review;
}

/** Agents that speak MCP put the name of the server before the name of the tool. */
const isReviewTool = (name: string): boolean => name === toolName || name.endsWith(`${toolServerName}__${toolName}`);
