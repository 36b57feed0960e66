import { describe } from "vitest";
import { testForgetting } from "./conformance/test-forgetting.ts";
import { testAgainstModel } from "./conformance/test-against-model.ts";
import { testNumbering } from "./conformance/test-numbering.ts";
import { testOwnership } from "./conformance/test-ownership.ts";
import { testRaces } from "./conformance/test-races.ts";
import { testReading } from "./conformance/test-reading.ts";
import { testReopening } from "./conformance/test-reopening.ts";
import { testWatching } from "./conformance/test-watching.ts";
import type { Journal } from "./ownership.ts";

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
    testAgainstModel(open);
    if (reopen !== undefined) testReopening(open, reopen);
  });
}
