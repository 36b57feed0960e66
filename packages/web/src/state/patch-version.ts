import type { SessionView } from "@fairlead/api";

/**
 * Returns a text that changes when a patch of the workspace may have changed. A patch is computed by git, so during a turn it
 * changes with the state only, and not with each file. A file that is observed after the turn has ended counts.
 */
export function patchVersionOf({ turns, state, changes }: Pick<SessionView, "turns" | "state" | "changes">): string {
  const isResting = state === "idle" || state === "paused" || state === "ended";
  const files = isResting && changes !== null ? ` ${changes.files} ${changes.added} ${changes.removed}` : "";
  return `${turns} ${state}${files}`;
}
