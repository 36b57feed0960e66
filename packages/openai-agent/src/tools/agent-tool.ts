import { z } from "zod";
import type { AgentWorkspace } from "../agent-workspace.ts";

/** A tool that the model can call. */
export interface AgentTool {
  readonly name: string;
  /** The description that the model receives. */
  readonly description: string;
  /**
   * What the tool does. The permission mode decides by it. `calls`: it calls an MCP server. `client`: the client runs it, and
   * decides itself.
   */
  readonly effect: "reads" | "edits" | "runs" | "calls" | "client";
  /** JSON Schema of its input. */
  readonly parameters: Record<string, unknown>;
  /** Runs the tool. Never rejects: the outcome tells the model what failed, so that it can try something else. */
  use(input: unknown, context: AgentToolContext): Promise<AgentToolOutcome>;
}

export interface AgentToolContext {
  readonly workspace: AgentWorkspace;
  /** The id of the call. */
  readonly call: string;
  /** Aborted when the turn is interrupted. */
  readonly signal: AbortSignal;
}

export interface AgentToolOutcome {
  readonly ok: boolean;
  /** The output that the model receives. */
  readonly output: string;
  /** The file that the tool wrote; `before` is null for a new file. */
  readonly change?: { readonly path: string; readonly before: string | null; readonly after: string };
}

interface ToolDefinition<Input extends z.ZodObject> extends Omit<AgentTool, "parameters" | "use"> {
  readonly input: Input;
  use(input: z.infer<Input>, context: AgentToolContext): Promise<AgentToolOutcome>;
}

export function defineAgentTool<Input extends z.ZodObject>(definition: ToolDefinition<Input>): AgentTool {
  const { name, description, effect, input: schema } = definition;
  // The schema of the input: in that of the output, every field with a default is required, and the model must invent it.
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: "input" });
  return {
    name,
    description,
    effect,
    parameters,
    async use(input, context) {
      const parsed = schema.safeParse(input);
      if (!parsed.success) return { ok: false, output: `The input is invalid: ${z.prettifyError(parsed.error)}` };
      try {
        return await definition.use(parsed.data, context);
      } catch (error) {
        return { ok: false, output: error instanceof Error ? error.message : String(error) };
      }
    },
  };
}

/** The maximum length of a tool's output, in characters. A longer output would leave no space for anything else. */
const defaultMaxLength = 60_000;

/** Removes the middle of a long text: the start shows what it is, and the end shows its outcome. */
export function clipMiddle(text: string, maxLength = defaultMaxLength): string {
  if (text.length <= maxLength) return text;
  const half = Math.floor(maxLength / 2);
  return `${text.slice(0, half)}\n[${text.length - 2 * half} characters left out]\n${text.slice(-half)}`;
}
