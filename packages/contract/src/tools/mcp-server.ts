import { z } from "zod";

/** A NUL character cannot be passed to a program. */
const Text = z
  .string()
  .max(10_000)
  .regex(/^[^\0]*$/, "It contains a NUL character.");

/**
 * The name of an MCP server. Without `_`, because agents join the names of the server and of the tool with it: `a_b_c` could
 * be a tool of `a` or of `a_b`, and a rule about one must not miss the other.
 */
export const McpServerName = z
  .string()
  .max(40)
  .regex(
    /^(?!fairlead-tools$)[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/,
    "A name has lower case letters, digits and single dashes between them, and is not fairlead-tools.",
  );

/** How an agent starts an MCP server: a program that it talks to over standard input and output. */
export const McpProgram = z.strictObject({
  /** A path, or a name on the PATH of the agent. */
  command: Text.min(1),
  args: z.array(Text).max(200).exactOptional(),
  /** Variables that are added to the environment of the server. Their values count as secret. */
  env: z.record(z.string().regex(/^[A-Za-z_]\w*$/, "It is not a name of a variable."), Text).exactOptional(),
});

export const McpServer = McpProgram.extend({ name: McpServerName });
export type McpServer = z.infer<typeof McpServer>;

/** The servers of a session. Each description of a tool costs tokens in every request to the model. */
export const McpServers = z
  .array(McpServer)
  .max(50)
  .refine((servers) => new Set(servers.map(({ name }) => name)).size === servers.length, "Two servers have one name.");

/** The servers of a configuration file, by name. */
export const McpServersInput = z.record(z.string(), McpProgram).superRefine((servers, context) => {
  for (const name of Object.keys(servers)) {
    // The schema of a key would not say what a name is.
    for (const { message } of McpServerName.safeParse(name).error?.issues ?? [])
      context.addIssue({ code: "custom", path: [name], message });
  }
});
export type McpServersInput = z.infer<typeof McpServersInput>;

/** Lists the servers of a configuration file. */
export function listMcpServers(servers: McpServersInput): McpServer[] {
  return Object.entries(servers).map(([name, program]) => ({ name, ...program }));
}

/** Names a tool of a server, the same for every agent: in the journal, and in a rule. */
export function mcpToolName(server: string, tool: string): string {
  return `mcp__${server}__${tool.replaceAll(/[^\w-]/g, "_")}`;
}
