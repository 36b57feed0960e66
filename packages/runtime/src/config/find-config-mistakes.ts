import { resolveLinks } from "@fairlead/keeper";
import { resolveHome } from "../sandbox/user-openings.ts";
import type { UserConfig } from "./user-config.ts";

/** Finds entries of the user's configuration that are valid and have no effect. Returns a sentence for each. */
export function findConfigMistakes({ sandbox }: UserConfig, home: string): string[] {
  const userHome = resolveLinks(home) ?? home;
  const names = Object.entries(sandbox).flatMap(([folder, { shows, writes }]) => [folder, ...shows, ...writes]);
  return [...new Set(names)].flatMap((name) => {
    const path = resolveHome(name, userHome);
    const target = resolveLinks(path);
    if (target === null) return [`${name} does not exist.`];
    // Links are followed neither in an opening, because an agent could have laid them, nor in the folder of an entry.
    return target === path ? [] : [`${name} leads to ${target}: write that instead.`];
  });
}
