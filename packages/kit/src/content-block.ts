import { z } from "zod";

/** A piece of a message, as several agents pass it on from the API of their model. */
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

/** The words of a content, which comes plain or in blocks. */
export function textOfContent(content: unknown): string {
  if (typeof content === "string") return content;
  const blocks = z.array(ContentBlock).safeParse(content).data ?? [];
  return blocks.map((block) => (block.type === "text" ? block.text : "")).join("");
}
