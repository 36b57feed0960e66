/**
 * Waits for two tasks that run at the same time. Throws the error of a task that failed, and only when both have ended: the
 * caller may repeat them, and the next attempt must not run beside this one.
 */
export async function awaitBoth<First, Second>(
  first: Promise<First>,
  second: Promise<Second>,
): Promise<readonly [First, Second]> {
  await Promise.allSettled([first, second]);
  return await Promise.all([first, second]);
}
