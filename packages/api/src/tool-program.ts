import { SpendingLimits, ToolOffer, ToolOutcome } from "@fairlead/contract";
import { z } from "zod";
import { Problem } from "./problem.ts";

/** The path of the WebSocket over which a program runs tools for sessions. It needs the scope `drive`. */
export const toolProgramPath = "/v1/tools";

/** Identifies a program that runs tools. The program chooses it at random and tells it nobody else. */
export const ToolProgramId = z.string().regex(/^[\w-]{22,64}$/, "The id of a program has 22 to 64 characters.");

/** What a program sends: first what it offers, then results. */
export const ToolProgramMessage = z.union([
  z.strictObject({
    offer: z.strictObject({ program: ToolProgramId, tools: z.array(ToolOffer.omit({ asks: true })).max(100) }),
  }),
  z.strictObject({ result: z.strictObject({ id: z.string(), outcome: ToolOutcome, text: z.string() }) }),
]);
export type ToolProgramMessage = z.infer<typeof ToolProgramMessage>;

/** What the service sends to a program: that its offer counts, calls, and calls whose result nobody waits for any more. */
export const ToolProgramFrame = z.union([
  z.strictObject({ offered: z.literal(true) }),
  z.strictObject({
    call: z.strictObject({
      /** Identifies the call on this connection. */
      id: z.string(),
      tool: z.string(),
      input: z.unknown(),
      session: z.string(),
      call: z.string(),
      key: z.string(),
      workspace: z.string(),
      limits: SpendingLimits.optional(),
    }),
  }),
  z.strictObject({ cancel: z.strictObject({ id: z.string() }) }),
  z.strictObject({ problem: Problem }),
]);
export type ToolProgramFrame = z.infer<typeof ToolProgramFrame>;
