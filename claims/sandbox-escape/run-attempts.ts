import type { Attempt } from "./attempt.ts";
import { EscapeTarget } from "./escape-target.ts";

/** How an attempt ended. `failed`: its check threw, so it shows nothing about the sandbox. */
export type AttemptResult = "succeeded" | "prevented" | "failed";

/** Has a hostile agent make attempts, one after another. Returns their results by name. */
export async function runAttempts(
  attempts: readonly Attempt[],
  checkout: string,
  isSandboxed: boolean,
): Promise<ReadonlyMap<string, AttemptResult>> {
  await using target = new EscapeTarget(checkout, isSandboxed);
  await target.startSessions();
  const results = new Map<string, AttemptResult>();
  for (const attempt of attempts) {
    const startedAt = performance.now();
    const [result, seen] = await runAttempt(attempt, target).catch(
      (error: unknown) => ["failed", String(error)] as const,
    );
    results.set(attempt.name, result);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const label = isSandboxed ? "sandbox" : "none";
    console.log(`${label} · ${attempt.name} · ${result} · ${shorten(seen)} · ${seconds} s`);
  }
  return results;
}

async function runAttempt(attempt: Attempt, target: EscapeTarget): Promise<readonly [AttemptResult, string]> {
  try {
    await attempt.prepare?.(target);
    if (attempt.createWorkspace !== undefined) await target.openWorkspace(attempt.createWorkspace(target));
  } catch (error) {
    await restore(attempt, target);
    // There is no sandbox for such a workspace.
    if (target.isSandboxed && String(error).includes("problem:not-allowed")) return ["prevented", String(error)];
    throw error;
  }
  try {
    const script = attempt.script(target);
    const run = attempt.isApprovedCommand ? target.runApproved(script, attempt.name) : target.runHostile(script);
    const [output] = await Promise.all([run, attempt.during?.(target)]);
    return [(await attempt.succeeded(target, output)) ? "succeeded" : "prevented", output];
  } finally {
    await restore(attempt, target);
  }
}

async function restore(attempt: Attempt, target: EscapeTarget): Promise<void> {
  await attempt.restore?.(target);
  await target.release();
}

const shorten = (text: string): string => text.trim().replaceAll(/\s+/gu, " ").slice(0, 160);
