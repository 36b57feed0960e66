import { z } from "zod";

const HistoryToolCall = z.object({
  id: z.string(),
  type: z.literal("function"),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
export type HistoryToolCall = z.infer<typeof HistoryToolCall>;

/** One message of a conversation, in the form of the API and of the history file. Excludes the system prompt. */
export const HistoryMessage = z.discriminatedUnion("role", [
  z.object({ role: z.literal("user"), content: z.string() }),
  z.object({
    role: z.literal("assistant"),
    content: z.string().nullable(),
    tool_calls: z.array(HistoryToolCall).exactOptional(),
  }),
  z.object({ role: z.literal("tool"), tool_call_id: z.string(), content: z.string() }),
]);
export type HistoryMessage = z.infer<typeof HistoryMessage>;
export type HistoryMessageOf<Role extends HistoryMessage["role"]> = Extract<HistoryMessage, { role: Role }>;
