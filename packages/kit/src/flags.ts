import { z } from "zod";

/** Flags that a program's own help names. */
export function flagsIn(help: string): string[] {
  return [...new Set(help.match(/(?<![\w-])--[a-z][a-z0-9-]*/gi) ?? [])].toSorted();
}

const FlagValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
export type FlagValue = z.infer<typeof FlagValue>;

/** Flags of a program that a user passes through: names without dashes, and what they are set to. */
export const PassedFlags = z.record(z.string().regex(/^[a-z][a-z0-9-]*$/), FlagValue);

/** One flag as arguments: `true` stands alone, `false` is left out, a list repeats the flag. */
export function flagArguments(flag: string, value: FlagValue): string[] {
  if (typeof value === "boolean") return value ? [flag] : [];
  if (typeof value === "object") return value.flatMap((item) => [flag, item]);
  return [flag, String(value)];
}

/** Several flags, named without dashes, as arguments; but for some. */
export function flagsArguments(
  flags: Readonly<Record<string, FlagValue | undefined>>,
  except: readonly string[] = [],
): string[] {
  const passed = Object.entries(flags).filter(([flag]) => !except.includes(flag));
  return passed.flatMap(([flag, value]) => flagArguments(`--${flag}`, value ?? false));
}
