import { z } from "zod";
import type { Workspace } from "./workspace.ts";

/** Something that the model can call. */
export interface Tool {
  readonly name: string;
  /** What the model is told of it. */
  readonly description: string;
  /** What it does to the world; the permission mode goes by this. */
  readonly effect: "reads" | "edits" | "runs";
  /** JSON Schema of its input. */
  readonly parameters: Record<string, unknown>;
  /** Never rejects: what goes wrong is said to the model, which may then try otherwise. */
  use(input: unknown, place: Place): Promise<Outcome>;
}

export interface Place {
  readonly workspace: Workspace;
  /** Aborted when the turn is interrupted. */
  readonly signal: AbortSignal;
}

export interface Outcome {
  readonly ok: boolean;
  /** What the model is shown. */
  readonly output: string;
  /** The file that was written; `before` is null when there was none. */
  readonly change?: { readonly path: string; readonly before: string | null; readonly after: string };
}

interface Definition<Input extends z.ZodObject> extends Omit<Tool, "parameters" | "use"> {
  readonly input: Input;
  use(input: z.infer<Input>, place: Place): Promise<Outcome>;
}

export function defineTool<Input extends z.ZodObject>(definition: Definition<Input>): Tool {
  const { name, description, effect, input: schema } = definition;
  const { $schema: _, ...parameters } = z.toJSONSchema(schema);
  return {
    name,
    description,
    effect,
    parameters,
    async use(input, place) {
      const read = schema.safeParse(input);
      if (!read.success) return { ok: false, output: `The input is not right: ${z.prettifyError(read.error)}` };
      try {
        return await definition.use(read.data, place);
      } catch (error) {
        return { ok: false, output: error instanceof Error ? error.message : String(error) };
      }
    },
  };
}
