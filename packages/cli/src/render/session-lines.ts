import { toOneLine } from "@fairlead/api";
import type { EventOf, Sandbox } from "@fairlead/contract";

/** Renders agent, session id, mode and workspace. The path comes last, because narrow terminals cut the end. */
export function startedLine(started: EventOf<"session.started">, session: string, label: string): string {
  const version = started.agentVersion === null ? "" : ` ${toOneLine(started.agentVersion)}`;
  const words = [
    `${toOneLine(label)}${version}`,
    `session ${session}`,
    started.mode,
    sandboxText(started.sandbox),
    toOneLine(started.workspace),
  ];
  const continuation = started.continues === null ? "" : `, continues ${started.continues.session}`;
  return words.join(" · ") + continuation;
}

/** Renders how a session ended, as a sentence. */
export function endedLine({ reason, exit }: Pick<EventOf<"session.ended">, "reason" | "exit">): string {
  const sentence = endReasonText[reason];
  const detail = exit?.signal ?? (exit?.code == null ? null : `exit code ${exit.code}`);
  // A process that did not start has neither.
  if (detail === null || (reason !== "crashed" && reason !== "failed")) return sentence;
  return `${sentence.slice(0, -1)} (${detail}).`;
}

const endReasonText: Readonly<Record<EventOf<"session.ended">["reason"], string>> = {
  stopped: "The session was stopped.",
  finished: "The agent exited normally, which ended the session.",
  failed: "The session failed.",
  crashed: "The agent crashed.",
  lost: "The session ended without a record of how the agent exited.",
};

export function resumedLine({ outcome }: EventOf<"session.resumed">): string {
  return {
    attached: "Attached again.",
    native: "Resumed, with the agent's own history.",
    forked: "Forked, with the agent's own history.",
    rebuilt: "Resumed, with a history rebuilt from the journal.",
    fresh: "Resumed, without history.",
  }[outcome];
}

/** Names the limits of an agent's processes in a few words. A daemon of an older version reports none. */
export function sandboxText(sandbox: Pick<Sandbox, "kind" | "workspace" | "network"> | undefined): string {
  if (sandbox === undefined || sandbox.kind === "none") return "no sandbox";
  const limits = [
    ...(sandbox.workspace === "read" ? ["workspace read-only"] : []),
    ...(sandbox.network === "open" ? [] : [sandbox.network === "none" ? "no network" : "network gate"]),
  ];
  return limits.length === 0 ? "sandbox" : `sandbox (${limits.join(", ")})`;
}
