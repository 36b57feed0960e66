import { z } from "zod";

const Call = z.object({
  id: z.string(),
  type: z.literal("function"),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
export type Call = z.infer<typeof Call>;

/** One message of a conversation, as the API wants it and as it is kept. The system prompt is not one: it is made anew. */
export const Message = z.discriminatedUnion("role", [
  z.object({ role: z.literal("user"), content: z.string() }),
  z.object({ role: z.literal("assistant"), content: z.string().nullable(), tool_calls: z.array(Call).exactOptional() }),
  z.object({ role: z.literal("tool"), tool_call_id: z.string(), content: z.string() }),
]);
export type Message = z.infer<typeof Message>;
export type MessageOf<Role extends Message["role"]> = Extract<Message, { role: Role }>;
