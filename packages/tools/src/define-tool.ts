import { ToolOffer, type HostTool, type ToolContext, type ToolReport, type ToolResult } from "@fairlead/contract";
import { z } from "zod";

/** A tool as its author writes it. */
export interface ToolDefinition<Input extends z.ZodObject> {
  /** Lower case letters, digits and `_`, at most 40. */
  readonly name: string;
  /** What the tool does and when to use it, for the model. */
  readonly description: string;
  readonly input: Input;
  /** Set if it changes nothing outside the session. It is then allowed in the mode `plan`, too. */
  readonly readOnly?: true;
  /** Returns why the call is refused, for the agent to read, or null if it may run. Without it, every call may run. */
  readonly authorize?: (context: ToolContext, input: z.output<Input>) => string | null | Promise<string | null>;
  /**
   * Runs the tool. A text is the result as it is, and any other value as JSON. An error is a result, too: its message.
   * After a crash it may run again with the same `context.key`, and must make its effect under this key.
   */
  readonly run: (input: z.output<Input>, context: ToolContext) => unknown;
  /** Returns an event for the journal, after the run. */
  readonly report?: (input: z.output<Input>, context: ToolContext) => ToolReport | Promise<ToolReport>;
}

/** Defines a tool that every agent with the capability `host-tools` can be offered. */
export function defineTool<Input extends z.ZodObject>(definition: ToolDefinition<Input>): HostTool {
  const { name, description, input: schema, readOnly, authorize = () => null, run, report } = definition;
  // As the caller writes it: a field with a default is not required.
  const { $schema: _, ...inputSchema } = z.toJSONSchema(schema, { io: "input" });
  const offer = ToolOffer.parse({ name, description, inputSchema, ...(readOnly && { readOnly }) });
  return {
    offer,
    async use(input, context) {
      try {
        const parsed = schema.safeParse(input);
        if (!parsed.success) return failed(`The input is invalid:\n${z.prettifyError(parsed.error)}`);
        const refusal = await authorize(context, parsed.data);
        // A program without types may return another value.
        if (typeof refusal === "string") return { outcome: "denied", text: refusal };
        if ((refusal as unknown) === false) return { outcome: "denied", text: "The tool refused the call." };
        const text = toText(await run(parsed.data, context));
        return { outcome: "done", text, ...(report && { report: await report(parsed.data, context) }) };
      } catch (error) {
        return failed(error instanceof Error ? error.message : String(error));
      }
    },
  };
}

const failed = (text: string): ToolResult => ({ outcome: "failed", text });

function toText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "Done.");
}
