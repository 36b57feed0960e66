import type { ModelTool } from "@fairlead/conformance";
import type { Lab } from "../lab.ts";

/** A tool in a request: flat, or in a field `function`. The schema has another name in each API. */
interface RequestedTool {
  readonly name?: string;
  readonly description?: string;
  readonly input_schema?: unknown;
  readonly parameters?: unknown;
  readonly function?: RequestedTool;
}

/** Returns the tools that the newest request with tools told the model of. */
export function readOfferedTools({ requests }: Lab): ModelTool[] {
  const lists = requests.map(({ body }) => (body as { tools?: readonly RequestedTool[] } | undefined)?.tools ?? []);
  const newest = lists.findLast((tools) => tools.length > 0) ?? [];
  return newest.map((tool) => {
    const { name = "", description = "", input_schema: schema, parameters } = tool.function ?? tool;
    return { name, description, schema: schema ?? parameters };
  });
}
