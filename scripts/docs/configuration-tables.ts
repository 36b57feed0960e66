import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters, unverifiedAdapters } from "@fairlead/adapters";
import { FairleadError, type Adapter } from "@fairlead/contract";
import { AdapterRegistry, selectAgent, workspaceFileName } from "@fairlead/runtime";
import { WorkspaceConfig } from "../../packages/runtime/src/config/workspace-config.ts";
import { code, codeList, renderTable } from "./markdown-table.ts";
import { listFields, toFieldSchema, type FieldSchema } from "./schema-fields.ts";

/** The tables about configuration, by the name of their markers. */
export const configurationTables: Readonly<Record<string, () => string>> = {
  "configuration-keys": () =>
    renderTable(["key", "type", "default", "before `fairlead trust`", "meaning"], listConfigurationKeys()),
  "agent-settings": renderAgentSettings,
};

function listConfigurationKeys(): string[][] {
  const { properties = {} } = toFieldSchema(WorkspaceConfig);
  return listFields(WorkspaceConfig).map(({ name, type, defaultValue, description }) => [
    code(name),
    type,
    defaultValue === null ? "" : code(defaultValue),
    describeTrust(name, properties[name] ?? {}),
    description,
  ]);
}

/** What the program does with a value of a file that no person has trusted. */
type TrustOutcome = "allowed" | "after trust" | "never";

/** Describes which values of a key a file may set before a person trusts it. Asks the program for each value. */
function describeTrust(key: string, schema: FieldSchema): string {
  if (key === "settings") {
    const allowed = listSettingNames().filter(
      (name) => trySetting({ settings: { any: { [name]: sampleOf(name) } } }) === "allowed",
    );
    return `only ${codeList(allowed)}`;
  }
  // The session's policy leaves out what an untrusted file allows; see `joinPolicies`.
  if (key === "policy" || key === "policy.rules") return "all but what it allows";
  if (key.startsWith("policy.")) return /grants|Allowlist/.test(key) ? "no" : "yes";
  const [parent = "", child] = key.split(".");
  if (child !== undefined) return describeTrust(parent, { type: "object" });
  const sample = schema.type === "object" ? {} : sampleOf(key);
  if (schema.enum === undefined) return trySetting({ [key]: sample }) === "allowed" ? "yes" : "no";
  const outcomes = Object.groupBy(schema.enum.map(String), (value) => trySetting({ [key]: value }));
  const { allowed = [], never = [] } = outcomes;
  return [`only ${codeList(allowed)}`, ...(never.length > 0 ? [`never ${codeList(never)}`] : [])].join("; ");
}

/** A value that every agent's schema accepts for a setting of this name, if the setting is harmless. */
function sampleOf(name: string): unknown {
  return name === "maxTurns" ? 1 : "any";
}

/** An agent that accepts every setting, so that only the rules of trust decide. */
const anyAgent = {
  manifest: { id: "any", label: "Any agent", settings: { safeParse: (data: unknown) => ({ success: true, data }) } },
} as unknown as Adapter;

function trySetting(config: object): TrustOutcome {
  const workspace = mkdtempSync(join(tmpdir(), "fairlead-docs-"));
  try {
    // Every JSON text is YAML.
    writeFileSync(join(workspace, workspaceFileName), JSON.stringify(config));
    selectAgent(new AdapterRegistry([anyAgent]), { workspace, environment: {}, fallback: "any" });
    return "allowed";
  } catch (error) {
    if (FairleadError.is(error, "not-allowed")) return "after trust";
    if (FairleadError.is(error, "invalid-settings")) return "never";
    throw error;
  } finally {
    rmSync(workspace, { recursive: true });
  }
}

function listSettingNames(): string[] {
  const names = adapters.flatMap(({ manifest }) => listFields(manifest.settings).map(({ name }) => name));
  return [...new Set(names)].filter((name) => !name.includes(".")).toSorted();
}

/** One table per agent. Agents with the same settings share one. */
function renderAgentSettings(): string {
  const tables = [...adapters, ...unverifiedAdapters].map(({ manifest }) => ({
    id: manifest.id,
    table: renderSettings(manifest),
  }));
  const groups = Map.groupBy(tables, ({ table }) => table);
  return [...groups].map(([table, agents]) => `**${codeList(agents.map(({ id }) => id))}**\n\n${table}`).join("\n\n");
}

function renderSettings({ settings }: Adapter["manifest"]): string {
  const fields = listFields(settings);
  if (fields.length === 0) return "No settings.";
  return renderTable(
    ["setting", "type", "default", "meaning"],
    fields.map(({ name, type, defaultValue, description }) => [
      code(name),
      type,
      defaultValue === null ? "" : code(defaultValue),
      description,
    ]),
  );
}
