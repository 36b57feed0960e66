import { z } from "zod";

/** Returns the flags in a program's help text, sorted, each once. */
export function findFlags(help: string): string[] {
  return [...new Set(help.match(/(?<![\w-])--[a-z][a-z0-9-]*/gi) ?? [])].toSorted();
}

const FlagValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
/** Value of a command-line flag. */
export type FlagValue = z.infer<typeof FlagValue>;

/** Schema of flags that a user passes through to a program: names without dashes, and values. */
export const PassThroughFlags = z.record(z.string().regex(/^[a-z][a-z0-9-]*$/), FlagValue);

/** Converts one flag to arguments. `true` adds the flag alone, `false` omits it, a list repeats it. */
export function flagToArguments(flag: string, value: FlagValue): string[] {
  if (typeof value === "boolean") return value ? [flag] : [];
  if (typeof value === "object") return value.flatMap((item) => [flag, item]);
  return [flag, String(value)];
}

/** Converts flags, named without dashes, to arguments. Omits the flags in `except`. */
export function flagsToArguments(
  flags: Readonly<Record<string, FlagValue | undefined>>,
  except: readonly string[] = [],
): string[] {
  const included = Object.entries(flags).filter(([flag]) => !except.includes(flag));
  return included.flatMap(([flag, value]) => flagToArguments(`--${flag}`, value ?? false));
}
