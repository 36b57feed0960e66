import { z } from "zod";
import type { AgentClient } from "../agent-client.ts";
import { clipMiddle, type AgentTool } from "./agent-tool.ts";

/** The tools that the client runs, in the `_meta` of the request that opens a conversation. */
const Meta = z.looseObject({
  "fairlead/tools": z
    .array(z.looseObject({ name: z.string(), description: z.string(), inputSchema: z.record(z.string(), z.unknown()) }))
    .default([]),
});

/** A tool that the client runs, as it is offered. */
export type ClientToolOffer = z.infer<typeof Meta>["fairlead/tools"][number];

/** Reads the tools that a client offers. One that has no such extension offers none. */
export const readClientTools = (meta: unknown): ClientToolOffer[] =>
  Meta.safeParse(meta ?? {}).data?.["fairlead/tools"] ?? [];

/** Creates a tool that the client runs. The client decides whether a call is allowed. */
export function createClientTool(
  { name, description, inputSchema }: ClientToolOffer,
  client: Pick<AgentClient, "useTool">,
): AgentTool {
  return {
    name,
    description,
    effect: "client",
    parameters: inputSchema,
    async use(input, { call, signal }) {
      const { outcome, text } = await client.useTool({ toolCallId: call, name, input }, signal);
      return { ok: outcome === "done", output: clipMiddle(text) };
    },
  };
}
