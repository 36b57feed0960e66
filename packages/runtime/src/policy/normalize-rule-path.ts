import { isAbsolute, relative, sep } from "node:path";
import type { PolicyRule } from "@fairlead/contract";

/**
 * Writes the path of a rule as the gate compares it: relative to the workspace, and with everything below it if it can be a
 * folder. Otherwise `path: api` would be about a file of this name only, and an absolute path in the workspace about nothing.
 */
export function normalizeRulePath(rule: PolicyRule, workspace: string): PolicyRule {
  const { path: written } = rule;
  if (written === undefined) return rule;
  const path = isAbsolute(written) ? toRelative(written, workspace) : written;
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  const isPattern = names.includes("**") || (names.at(-1)?.includes("*") ?? true);
  return { ...rule, path: isPattern ? path : `${path.replace(/\/$/, "")}/**` };
}

/** Leaves a path outside the workspace as it is: a rule that asks or denies can be about it. */
function toRelative(path: string, workspace: string): string {
  const inside = relative(workspace, path);
  return inside === ".." || inside.startsWith(`..${sep}`) ? path : inside === "" ? "**" : inside;
}
