import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { WrongUse } from "./wrong-use.ts";

/** What may be said about settings on the command line. */
export interface SettingsOptions {
  readonly settings?: string;
  readonly model?: string;
  readonly systemPrompt?: string;
  readonly maxTurns?: number;
  /** `key=value`, as typed. */
  readonly set?: readonly string[];
}

type Json = Record<string, unknown>;

/** The settings that were asked for: a file first, then the options that have a name, then every `--set`. */
export function settingsOf(options: SettingsOptions, folder: string): Json {
  const settings: Json = options.settings === undefined ? {} : fromFile(resolve(folder, options.settings));
  const { model, systemPrompt, maxTurns } = options;
  for (const [name, value] of Object.entries({ model, systemPrompt, maxTurns })) {
    if (value !== undefined) settings[name] = value;
  }
  for (const assignment of options.set ?? []) assign(settings, assignment);
  return settings;
}

function fromFile(path: string): Json {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new WrongUse(`The settings in ${path} cannot be read: ${(error as Error).message}`);
  }
  if (!isRecord(parsed)) throw new WrongUse(`The settings in ${path} are not a JSON object.`);
  return parsed;
}

function assign(settings: Json, assignment: string): void {
  const at = assignment.indexOf("=");
  const path = assignment.slice(0, Math.max(0, at)).split(".");
  const last = path.pop() ?? "";
  if (last === "" || path.includes("") || [...path, last].includes("__proto__")) {
    throw new WrongUse(`--set takes key=value, and not "${assignment}".`, "fairlead run … --set timeout=5000");
  }
  let place = settings;
  for (const name of path) {
    const inner = (place[name] ??= {});
    if (!isRecord(inner)) throw new WrongUse(`--set ${assignment}: "${name}" already has a value of its own.`);
    place = inner;
  }
  place[last] = valueOf(assignment.slice(at + 1));
}

/** JSON where it is JSON, and text where it is not. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
