import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError } from "../usage-error.ts";

/** The options that set settings. */
export interface SettingsOptions {
  readonly settings?: string;
  readonly model?: string;
  readonly systemPrompt?: string;
  readonly maxTurns?: number;
  /** `key=value`, as typed. */
  readonly set?: readonly string[];
}

type SettingsObject = Record<string, unknown>;

/** Builds the settings: first the file, then the named options, then every `--set`. */
export function parseSettings(options: SettingsOptions, folder: string): SettingsObject {
  const settings: SettingsObject =
    options.settings === undefined ? {} : readSettingsFile(resolve(folder, options.settings));
  const { model, systemPrompt, maxTurns } = options;
  for (const [name, value] of Object.entries({ model, systemPrompt, maxTurns })) {
    if (value !== undefined) settings[name] = value;
  }
  for (const assignment of options.set ?? []) applyAssignment(settings, assignment);
  return settings;
}

function readSettingsFile(path: string): SettingsObject {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new UsageError(`The settings file ${path} cannot be read: ${(error as Error).message}`);
  }
  if (!isRecord(parsed)) throw new UsageError(`The settings file ${path} does not contain a JSON object.`);
  return parsed;
}

function applyAssignment(settings: SettingsObject, assignment: string): void {
  const separator = assignment.indexOf("=");
  const path = assignment.slice(0, Math.max(0, separator)).split(".");
  const last = path.pop() ?? "";
  if (last === "" || path.includes("") || [...path, last].includes("__proto__")) {
    throw new UsageError(`--set "${assignment}" is not of the form key=value.`, "fairlead run … --set timeout=5000");
  }
  let target = settings;
  for (const name of path) {
    const child = (target[name] ??= {});
    if (!isRecord(child))
      throw new UsageError(`--set ${assignment}: "${name}" is already set to a value that is not an object.`);
    target = child;
  }
  target[last] = parseValue(assignment.slice(separator + 1));
}

/** Parses a value as JSON, or returns the text if it is not JSON. */
function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isRecord(value: unknown): value is SettingsObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
