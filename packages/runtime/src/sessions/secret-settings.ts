import type { Manifest, Settings } from "@fairlead/contract";
import { createSecretReference, type SecretValues } from "@fairlead/keeper";
import { randomId } from "./ids.ts";

type Path = readonly (string | number)[];

const wholeReference = /^fairlead-secret:[a-z0-9]+\//;
const isReference = (value: unknown): boolean => typeof value === "string" && wholeReference.test(value);
const nameOf = (path: Path): string => path.join(".");

/** The settings that an opening contains, and the values of the references in them. */
export interface SeparatedSettings {
  readonly settings: Settings;
  readonly secrets: SecretValues;
}

/** Returns the names of settings whose strings are secret. */
export function secretSettingNames({ secretSettings = ["env"] }: Pick<Manifest, "secretSettings">): readonly string[] {
  return secretSettings;
}

/**
 * Replaces the strings in the secret settings of a manifest by references. A string whose schema does not accept a
 * reference, such as one of a few words, is not a secret and stays.
 */
export function separateSecrets(manifest: Manifest, settings: Settings, nonce = randomId()): SeparatedSettings {
  const secrets: Record<string, string> = {};
  let separated = settings;
  for (const { path, text } of listTexts(settings, secretSettingNames(manifest))) {
    const reference = createSecretReference(nonce, nameOf(path));
    const candidate = replaceAt(separated, path, reference) as Settings;
    if (!manifest.settings.safeParse(candidate).success) continue;
    separated = candidate;
    secrets[reference] = text;
  }
  return { settings: separated, secrets };
}

/** Replaces references by their values. Lists the names of the settings whose value is not known. */
export function restoreSecrets(
  settings: Settings,
  secrets: SecretValues,
): { readonly settings: Settings; readonly missing: readonly string[] } {
  const missing: string[] = [];
  let restored = settings;
  for (const { path, text } of listTexts(settings, Object.keys(settings))) {
    if (!isReference(text)) continue;
    const value = Object.hasOwn(secrets, text) ? secrets[text] : undefined;
    if (value === undefined) missing.push(nameOf(path));
    else restored = replaceAt(restored, path, value) as Settings;
  }
  return { settings: restored, missing };
}

/**
 * Removes secret strings from settings, and returns the names of what it removed. Openings of older versions contain the
 * strings themselves, so the strings of `names` are removed, too.
 */
export function redactSettings(
  settings: Settings,
  names: readonly string[],
): { readonly settings: Record<string, unknown>; readonly removed: string[] } {
  const removed: string[] = [];
  let redacted: unknown = settings;
  for (const { path, text } of listTexts(settings, Object.keys(settings)).toReversed()) {
    if (!isReference(text) && !names.includes(String(path[0]))) continue;
    redacted = removeAt(redacted, path);
    removed.unshift(nameOf(path));
  }
  return { settings: redacted as Record<string, unknown>, removed };
}

function listTexts(settings: Settings, names: readonly string[]): { readonly path: Path; readonly text: string }[] {
  const visit = (value: unknown, path: Path): { path: Path; text: string }[] => {
    if (typeof value === "string") return [{ path, text: value }];
    if (Array.isArray(value)) return value.flatMap((item, index) => visit(item, [...path, index]));
    if (typeof value !== "object" || value === null) return [];
    return Object.entries(value).flatMap(([name, item]) => visit(item, [...path, name]));
  };
  return names.flatMap((name) => (Object.hasOwn(settings, name) ? visit(settings[name], [name]) : []));
}

function replaceAt(value: unknown, [key, ...rest]: Path, replacement: string): unknown {
  if (key === undefined) return replacement;
  if (Array.isArray(value)) return value.with(Number(key), replaceAt(value[Number(key)], rest, replacement));
  const fields = value as Readonly<Record<string, unknown>>;
  return { ...fields, [key]: replaceAt(fields[key], rest, replacement) };
}

function removeAt(value: unknown, [key = "", ...rest]: Path): unknown {
  if (Array.isArray(value)) {
    return rest.length === 0
      ? value.toSpliced(Number(key), 1)
      : value.with(Number(key), removeAt(value[Number(key)], rest));
  }
  const { [key]: removed, ...others } = value as Readonly<Record<string, unknown>>;
  return rest.length === 0 ? others : { ...others, [key]: removeAt(removed, rest) };
}
