import { openSqliteLog } from "@fairlead/journal";
import type { Home } from "@fairlead/runtime";
import { writeHistory, type HistoryOptions } from "./write-history.ts";

/** Writes sessions into the journal of a data directory, as processes did that are gone. Commits them together. */
export async function writeHistories(home: Home, histories: readonly HistoryOptions[]): Promise<void> {
  home.create();
  await using journal = await openSqliteLog({ file: home.journalFile });
  await Promise.all(histories.map((history) => writeHistory(journal, history)));
}
