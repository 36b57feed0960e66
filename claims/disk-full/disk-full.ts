import { findViolations, type Event } from "@fairlead/contract";
import type { Claim } from "../../measure/claim.ts";
import { dropUnwrittenEvents } from "./drop-unwritten-events.ts";
import { runOnSmallDisk, type DiskRunOptions, type DiskRunResult } from "./run-on-small-disk.ts";

const rate = 8000;
const sharedDisk: DiskRunOptions = { diskContents: "home", lines: 60_000, rate, fillAt: [5000, 20_000, 40_000] };
// The agent continues while the journal is full, so it needs more lines.
const journalDisk: DiskRunOptions = { diskContents: "journal", lines: 100_000, rate, fillAt: [5000, 30_000, 60_000] };
// Dropped events are never shown, so the run needs more lines to show the required number.
const longerRun: DiskRunOptions = { ...journalDisk, lines: 200_000 };

export const diskFull: Claim = {
  id: "disk-full",
  statement:
    "On a full disk no event is shown that is not stored. When there is space again, sessions continue and nothing is lost.",
  bound:
    "disk full three times; 0 lost, 0 doubled, 0 reordered, 0 unlawful; " +
    "control: a runtime that drops unwritten events is detected",
  async prove() {
    const sharedResult = judgeRun(sharedDisk, await runOnSmallDisk(sharedDisk));
    const journalResult = judgeRun(journalDisk, await runOnSmallDisk(journalDisk));
    using _ = dropUnwrittenEvents();
    const control = judgeRun(longerRun, await runOnSmallDisk(longerRun));
    return {
      measured:
        `spool and journal on one disk: ${describeJudgment(sharedResult)}; the journal alone on it: ${describeJudgment(journalResult)}; ` +
        `control, dropping what the journal does not take: ${describeJudgment(control)}`,
      holds: isIntact(sharedResult) && isIntact(journalResult) && !isIntact(control) && control.lost > 0,
    };
  },
};

interface DiskRunJudgment {
  readonly standstills: number;
  readonly lines: number;
  readonly lost: number;
  /** Lines in the journal at the position of another. */
  readonly misplaced: number;
  /** Shown events that differ from the journal at their position. */
  readonly shownNotStored: number;
  readonly unlawful: number;
  readonly failure: Error | null;
}

function judgeRun(
  { lines }: DiskRunOptions,
  { standstills, shownEvents, storedEvents, failure }: DiskRunResult,
): DiskRunJudgment {
  const texts = textsIn(storedEvents);
  return {
    standstills,
    lines: texts.length,
    lost: lines - new Set(texts).size,
    misplaced: texts.filter((text, at) => text !== `line ${at + 1}`).length,
    shownNotStored: shownEvents.filter(({ id }, at) => storedEvents[at]?.id !== id).length,
    unlawful: findViolations(storedEvents, { complete: true }).length,
    failure,
  };
}

function textsIn(events: readonly Event[]): string[] {
  return events.flatMap(({ body }) => (body.type === "text.ended" ? body.text : []));
}

function isIntact({ standstills, lost, misplaced, shownNotStored, unlawful, failure }: DiskRunJudgment): boolean {
  return standstills === 3 && lost + misplaced + shownNotStored + unlawful === 0 && failure === null;
}

function describeJudgment(judgment: DiskRunJudgment): string {
  const { standstills, lines, lost, misplaced, shownNotStored, unlawful, failure } = judgment;
  const failureNote = failure === null ? "" : `, and the watcher was told: ${failure.message}`;
  return (
    `${standstills} standstills, ${lines} lines, ${lost} lost, ${misplaced} out of place, ` +
    `${shownNotStored} shown but not stored, ${unlawful} unlawful${failureNote}`
  );
}
