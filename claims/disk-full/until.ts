import { setTimeout as wait } from "node:timers/promises";

const timeout = 60_000;

/** Waits until a condition is true. Throws after a minute, so that a proof fails instead of hanging. */
export async function waitUntil(description: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + timeout;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`A minute has passed, and still not: ${description}.`);
    await wait(5);
  }
}
