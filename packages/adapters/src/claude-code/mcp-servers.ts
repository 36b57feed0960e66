import type { McpServer } from "@fairlead/contract";
import type { FlagValue } from "@fairlead/kit";

interface ServerConfiguration {
  readonly flags: Readonly<Record<string, FlagValue>>;
  readonly env: Readonly<Record<string, string>>;
}

const flag = "mcp-config";

/**
 * The flag and the variables that give Claude Code MCP servers, beside those that a user passes in `options`. It replaces
 * `${NAME}` in the configuration by a variable. So the values of variables are not in its arguments, which every user of the
 * machine can read, and a text that contains such a pattern stays as it is.
 */
export function configureClaudeCodeServers(
  servers: readonly McpServer[],
  options: Readonly<Record<string, FlagValue>>,
): ServerConfiguration {
  if (servers.length === 0) return { flags: {}, env: {} };
  const env: Record<string, string> = {};
  const asVariable = (text: string): string => {
    const name = `FAIRLEAD_MCP_${Object.keys(env).length}`;
    env[name] = text;
    return `\${${name}}`;
  };
  const asText = (text: string): string => (text.includes("${") ? asVariable(text) : text);
  const entries = servers.map(({ name, command, args = [], env: variables = {} }) => {
    const values = Object.entries(variables).map(([variable, value]) => [variable, asVariable(value)]);
    const server = { type: "stdio", command: asText(command), args: args.map(asText), env: Object.fromEntries(values) };
    return [name, server];
  });
  const configuration = JSON.stringify({ mcpServers: Object.fromEntries(entries) as unknown });
  const others = [options[flag] ?? []].flat().map(String);
  return { flags: { [flag]: [...others, configuration] }, env };
}
