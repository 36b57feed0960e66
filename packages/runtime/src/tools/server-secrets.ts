import type { McpServer } from "@fairlead/contract";
import { createSecretReference, type SecretValues } from "@fairlead/keeper";
import { randomId } from "../sessions/ids.ts";

/** Replaces the values of the variables of MCP servers by references. */
export function separateServerSecrets(
  servers: readonly McpServer[],
  nonce = randomId(),
): { readonly servers: McpServer[]; readonly secrets: SecretValues } {
  const secrets: Record<string, string> = {};
  const separated = servers.map((server) =>
    mapVariables(server, (value, variable) => {
      const reference = createSecretReference(nonce, `mcp.${server.name}.${variable}`);
      secrets[reference] = value;
      return reference;
    }),
  );
  return { servers: separated, secrets };
}

/** Replaces references by their values. Lists the variables whose value is not known. */
export function restoreServerSecrets(
  servers: readonly McpServer[],
  secrets: SecretValues,
): { readonly servers: McpServer[]; readonly missing: readonly string[] } {
  const missing: string[] = [];
  const restored = servers.map((server) =>
    mapVariables(server, (reference, variable) => {
      const value = Object.hasOwn(secrets, reference) ? secrets[reference] : undefined;
      if (value === undefined) missing.push(`mcp.${server.name}.${variable}`);
      return value ?? "";
    }),
  );
  return { servers: restored, missing };
}

function mapVariables(server: McpServer, map: (value: string, variable: string) => string): McpServer {
  if (server.env === undefined) return server;
  const env = Object.entries(server.env).map(([variable, value]) => [variable, map(value, variable)]);
  return { ...server, env: Object.fromEntries(env) as Record<string, string> };
}
