import { setTimeout as wait } from "node:timers/promises";

const longest = 60_000;

/** Waits for a fact; throws when it is none even after a minute, so that a proof fails and does not hang. */
export async function until(says: string, fact: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + longest;
  while (!(await fact())) {
    if (performance.now() > end) throw new Error(`A minute has passed, and still not: ${says}.`);
    await wait(5);
  }
}
