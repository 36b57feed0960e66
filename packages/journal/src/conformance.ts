import { describe } from "vitest";
import { testChanges } from "./conformance/test-changes.ts";
import { testForgetting } from "./conformance/test-forgetting.ts";
import { testAgainstModel } from "./conformance/test-against-model.ts";
import { testIndexNames } from "./conformance/test-index-names.ts";
import { testIndexRows } from "./conformance/test-index-rows.ts";
import { testIndexWatching } from "./conformance/test-index-watching.ts";
import { testNotes } from "./conformance/test-notes.ts";
import { testNumbering } from "./conformance/test-numbering.ts";
import { testOwnership } from "./conformance/test-ownership.ts";
import { testRaces } from "./conformance/test-races.ts";
import { testReading } from "./conformance/test-reading.ts";
import { testReopening } from "./conformance/test-reopening.ts";
import { testWatching } from "./conformance/test-watching.ts";
import type { Journal } from "./ownership.ts";
import type { SessionIndex } from "./session-index.ts";

/**
 * Registers the tests that every storage engine must pass. `open` returns an empty journal each time. `reopen` opens a
 * second journal on the storage of the first, which may be open or closed. The suite disposes all journals.
 */
export function journalConformance(
  name: string,
  open: () => Promise<Journal>,
  reopen?: (journal: Journal) => Promise<Journal>,
): void {
  describe(`${name} journal`, () => {
    testNumbering(open);
    testOwnership(open);
    testRaces(open, reopen);
    testReading(open);
    testWatching(open, reopen);
    testForgetting(open, reopen);
    testChanges(open);
    testNotes(open);
    testAgainstModel(open);
    if (reopen !== undefined) testReopening(open, reopen);
  });
}

/** Registers the tests that every engine of a session index must pass. `open` and `reopen` are as for a journal. */
export function sessionIndexConformance(
  name: string,
  open: () => Promise<SessionIndex>,
  reopen?: (index: SessionIndex) => Promise<SessionIndex>,
): void {
  describe(`${name} session index`, () => {
    testIndexRows(open);
    testIndexWatching(open, reopen);
    testIndexNames(open, reopen);
  });
}
