/** Flags that a program's own help names. */
export function flagsIn(help: string): string[] {
  return [...new Set(help.match(/(?<![\w-])--[a-z][a-z0-9-]*/gi) ?? [])].sort();
}

export type FlagValue = string | number | boolean | readonly string[];

/** One flag as arguments: `true` stands alone, `false` is left out, a list repeats the flag. */
export function flagArguments(flag: string, value: FlagValue): string[] {
  if (typeof value === "boolean") return value ? [flag] : [];
  if (typeof value === "object") return value.flatMap((item) => [flag, item]);
  return [flag, String(value)];
}
