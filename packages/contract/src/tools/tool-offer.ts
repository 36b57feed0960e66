import { z } from "zod";
import { ArtifactProduced, ProgressReported } from "../events/work.ts";

/** The name of a tool that Fairlead runs. Short, because agents put a prefix before it and limit the length of both. */
export const ToolName = z
  .string()
  .max(40)
  // Agents that speak MCP separate the server and the tool by two of these.
  .regex(/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/);

/** A tool that Fairlead runs, as an agent is told of it. */
export const ToolOffer = z.strictObject({
  name: ToolName,
  /** What it does and when to use it, for the model. */
  description: z.string().min(1).max(4000),
  /** A JSON Schema of the input, as the caller writes it: a field with a default is not required. */
  inputSchema: z.record(z.string(), z.unknown()),
  /** Set if it changes nothing outside the session. It is then allowed in the mode `plan`, too. */
  readOnly: z.literal(true).optional(),
  /** Set if a call is a question to the person, whose answer is the result. Its input is an `AskPersonInput`. */
  asks: z.literal(true).optional(),
});
export type ToolOffer = z.infer<typeof ToolOffer>;

/** How a call of such a tool ended. `denied`: it did not run, because a rule, a person or the tool itself refused it. */
export const ToolOutcome = z.enum(["done", "failed", "denied"]);
export type ToolOutcome = z.infer<typeof ToolOutcome>;

/** What such a tool adds to the journal, beside the result for the agent. */
export const ToolReport = z.discriminatedUnion("type", [ProgressReported, ArtifactProduced]);
export type ToolReport = z.infer<typeof ToolReport>;

/** What a call of such a tool answers the agent. */
export interface ToolResult {
  readonly outcome: ToolOutcome;
  readonly text: string;
  /** An event for the journal. Only a call that is `done` may have one. */
  readonly report?: ToolReport;
}

/**
 * The name of the server under which agents that speak MCP get the tools. Not `fairlead`, which a user may give to the MCP
 * server of Fairlead itself.
 */
export const toolServerName = "fairlead_tools";
