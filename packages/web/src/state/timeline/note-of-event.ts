import type { AgentEvent } from "@fairlead/contract";

/** The words of a row with one line. */
export interface NoteText {
  readonly tone: "quiet" | "waits" | "fails";
  readonly text: string;
  readonly detail: string | null;
}

const pauseReasons = {
  asked: "Paused on request",
  idle: "Paused: no client came back",
  budget: "Paused: a limit of the session is reached",
  quota: "Paused: a quota of the account is used up",
  moved: "Paused: the session moves to another host",
} as const;

const resumeOutcomes = {
  native: "The agent continues the conversation",
  forked: "The agent continues a copy of the conversation",
  rebuilt: "The conversation continues from Fairlead's record of it",
  fresh: "The agent starts without the earlier conversation",
} as const;

const endReasons = {
  stopped: "The session was stopped",
  finished: "The agent finished",
  failed: "The session ended after an error",
  crashed: "The agent's process died without a report",
  lost: "The session was lost: its keeper is gone",
} as const;

const leads = {
  human: "A person took over in the agent's own terminal",
  agent: "The agent leads again",
  delegated: "The agent of another session leads",
} as const;

/** Says an event in one line. Null for an event that has a row of its own, or none. */
export function noteOfEvent(body: AgentEvent): NoteText | null {
  switch (body.type) {
    case "session.started":
      return quiet(`Session started with ${body.agent} ${body.agentVersion ?? ""}`.trimEnd(), body.brief?.title);
    case "session.changed":
      return noteOfChange(body);
    case "session.paused":
      return { tone: "waits", text: pauseReasons[body.reason], detail: body.until ? `until ${body.until}` : null };
    case "session.unpaused":
      return quiet("The pause ended on request");
    case "session.resumed":
      return quiet(resumeOutcomes[body.outcome]);
    case "session.ended":
      return noteOfEnd(body);
    case "lead.changed":
      return quiet(leads[body.lead]);
    case "brief.updated":
      return quiet("The brief changed", body.brief.title);
    case "context.compacted":
      return quiet(
        body.trigger === "asked" ? "The context was compacted on request" : "The agent compacted its context",
      );
    case "progress.reported":
      return quiet(body.text, body.percent === undefined ? undefined : `${body.percent} %`);
    case "artifact.produced":
      return quiet(`Result: ${body.path}`, body.summary);
    case "network.judged": {
      const isRefused = body.verdict === "refused";
      return {
        tone: isRefused ? "fails" : "quiet",
        text: `Connection to ${body.host}:${body.port} ${isRefused ? "refused" : "allowed"}`,
        detail: body.rule,
      };
    }
    case "quota.reported":
      return noteOfQuota(body);
    case "status.reported":
      return { tone: body.level === "warning" ? "waits" : "quiet", text: body.message, detail: null };
    case "error.raised":
      return { tone: "fails", text: body.message, detail: body.category };
    default:
      return null;
  }
}

function quiet(text: string, detail?: string): NoteText {
  return { tone: "quiet", text, detail: detail ?? null };
}

/** Ids and fingerprints are for programs; the raw view has them. */
function noteOfChange({ model, mode, limits }: Extract<AgentEvent, { type: "session.changed" }>): NoteText | null {
  const changes = [
    model === undefined ? null : `model ${model}`,
    mode === undefined ? null : `mode ${mode}`,
    limits === undefined ? null : "limits changed",
  ].filter((change) => change !== null);
  return changes.length === 0 ? null : quiet(changes.join(" · "));
}

function noteOfEnd({ reason, exit }: Extract<AgentEvent, { type: "session.ended" }>): NoteText {
  const isWell = reason === "stopped" || reason === "finished";
  const code = exit === null ? null : exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`;
  return { tone: isWell ? "quiet" : "fails", text: endReasons[reason], detail: code };
}

function noteOfQuota(body: Extract<AgentEvent, { type: "quota.reported" }>): NoteText | null {
  if (body.status === "available") return null;
  const used = body.usedPercent === undefined ? null : `${body.usedPercent} % used`;
  const detail = [body.window, used, body.resetsAt === undefined ? null : `resets ${body.resetsAt}`];
  return {
    tone: "waits",
    text:
      body.status === "exhausted" ? "A quota of the account is used up" : "A quota of the account is almost used up",
    detail: detail.filter((part) => part !== null && part !== undefined).join(" · ") || null,
  };
}
