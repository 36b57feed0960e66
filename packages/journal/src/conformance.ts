import { describe } from "vitest";
import { forgetting } from "./conformance/forgetting.ts";
import { modelled } from "./conformance/modelled.ts";
import { numbering } from "./conformance/numbering.ts";
import { owning } from "./conformance/owning.ts";
import { racing } from "./conformance/racing.ts";
import { reading } from "./conformance/reading.ts";
import { reopening } from "./conformance/reopening.ts";
import { watching } from "./conformance/watching.ts";
import type { Journal } from "./ownership.ts";

/**
 * Registers the tests that every engine must pass. `open` gives an empty journal each time; `reopen` gives another one
 * on the storage of the first, which may still be open or not. The suite disposes of what it was given.
 */
export function journalConformance(
  name: string,
  open: () => Promise<Journal>,
  reopen?: (journal: Journal) => Promise<Journal>,
): void {
  describe(`${name} keeps the journal's promises`, () => {
    numbering(open);
    owning(open);
    racing(open, reopen);
    reading(open);
    watching(open, reopen);
    forgetting(open, reopen);
    modelled(open);
    if (reopen !== undefined) reopening(open, reopen);
  });
}
