import type { RunResult } from "./describe-run.ts";

/** Describes what must not happen to sessions whatever fails, in one line. */
export function formatRun({ log, ...run }: RunResult): string {
  const { losses } = log;
  const moves = Object.entries(log.moves).map(([outcome, count]) => `${count} ${outcome}`);
  const errors = Object.entries(run.answeredErrors).map(([error, count]) => `${count} ${error}`);
  return (
    `${run.messages} messages, ${run.completed} completed: ${run.effects} effects, ${run.repeated.length + log.doubled.length} twice, ` +
    `${log.missing.length + run.withoutEffect.length} missing; ${log.events} events: ${losses.lost} lost, ${losses.doubled} doubled, ${losses.altered} otherwise, ` +
    `${log.staleWrites.length} stale writes, ${log.lateOutputs.length} outputs of an old agent after the new one's first; ` +
    `moves: ${moves.join(", ") || "none"}, ${log.ended.length} sessions ended; ${run.agents} agents, ${run.overlaps.length} overlaps; ` +
    `errors answered: ${errors.join(", ") || "none"}`
  );
}

/** Whether nothing was lost, doubled or written late, and all sessions continued with their agents' memory. */
export function isUnharmed({ log, repeated, withoutEffect }: RunResult): boolean {
  const { losses } = log;
  return (
    log.events > 0 &&
    losses.lost + losses.doubled + losses.altered === 0 &&
    [log.staleWrites, log.lateOutputs, log.missing, log.doubled, log.ended, repeated, withoutEffect].every(
      (problems) => problems.length === 0,
    ) &&
    Object.keys(log.moves).every((outcome) => outcome === "native")
  );
}
