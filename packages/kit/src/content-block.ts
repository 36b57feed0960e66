import { z } from "zod";

/** A content block of a message, in the form that several agents pass on from their model's API. */
export const ContentBlock = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), text: z.string() }),
  z.looseObject({ type: z.literal("thinking"), thinking: z.string() }),
  z.looseObject({ type: z.literal("tool_use"), id: z.string(), name: z.string(), input: z.unknown() }),
  z.looseObject({
    type: z.literal("tool_result"),
    tool_use_id: z.string(),
    is_error: z.boolean().nullish(),
    content: z.unknown(),
  }),
  z.looseObject({ type: z.enum(["redacted_thinking", "image", "document"]) }),
]);

/** Returns the text of a message content, which is a string or a list of blocks. */
export function textOfContent(content: unknown): string {
  if (typeof content === "string") return content;
  const blocks = z.array(ContentBlock).safeParse(content).data ?? [];
  return blocks.map((block) => (block.type === "text" ? block.text : "")).join("");
}
