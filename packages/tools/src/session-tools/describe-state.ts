import type { SessionView } from "@fairlead/api";
import { cutText } from "@fairlead/contract";

const maxTitleLength = 300;
const maxTitles = 5;

/** Whether a session does nothing until a person or another program does something. */
export function isSettled({ state, queued }: SessionView): boolean {
  // A message that waits for its turn starts it soon.
  if (state === "idle") return queued === 0;
  return ["waiting", "paused", "ended", "lost", "damaged"].includes(state);
}

/** Says in words what a session is doing, for an agent to read. */
export function describeState(view: SessionView, waitedSeconds: number): string {
  const { session, name, lead } = view;
  const subject = `Session ${session}${name === null ? "" : ` (${name})`}`;
  const words = `${subject} ${describeWork(view, waitedSeconds)}`;
  return lead === "human" ? `${words} A person controls it in the agent's own terminal.` : words;
}

function describeWork(view: SessionView, waitedSeconds: number): string {
  const { state, lastOutcome, reason, pauseReason, problem, waitingFor } = view;
  const because = problem === null ? "" : ` ${problem}`;
  if (state === "waiting") {
    const titles = waitingFor.slice(0, maxTitles).map(({ title }) => cutText(title, maxTitleLength));
    const more = waitingFor.length > maxTitles ? ` and ${waitingFor.length - maxTitles} more` : "";
    return `waits for a person to decide: ${titles.join("; ")}${more}. Only a person can decide it.`;
  }
  if (state === "ended") return `has ended: ${reason ?? "the reason is unknown"}.`;
  if (state === "paused")
    return `is paused (${pauseReason ?? "asked"}). A message resumes it, unless a limit is reached.`;
  if (state === "lost" || state === "damaged") return `is ${state} and cannot continue.${because}`;
  if (!isSettled(view)) {
    const how = state === "working" || state === "idle" ? "" : ` (${state})`;
    return `is still working${how} after ${waitedSeconds} seconds. Call \`wait\` again to wait longer.${because}`;
  }
  return lastOutcome === null ? "is idle. It has had no turn." : `is idle. Its last turn: ${lastOutcome}.`;
}
