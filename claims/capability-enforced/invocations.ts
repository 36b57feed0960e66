import type { Fairlead, StartRequest } from "@fairlead/api";
import type { Answer, Capability, Manifest, PermissionMode } from "@fairlead/contract";

/** The moment of a session in which a call is made. */
export type Moment = "no session" | "idle" | "turn" | "decision" | "paused" | "ended";

/** What a call is made with. */
export interface CallTarget {
  readonly fairlead: Fairlead;
  /** A start that would succeed. */
  readonly start: StartRequest;
  readonly session: string;
  /** The open decision and the input that was shown. */
  readonly decision: string;
  readonly input: unknown;
}

/** A call that an agent without a capability must refuse. */
export interface Invocation {
  /** The column of the table: a capability, a mode, or what no agent of its kind can do. */
  readonly feature: string;
  readonly moments: readonly Moment[];
  /** Whether the agent lacks what the call needs. */
  isMissing(manifest: Manifest, declared: readonly Capability[]): boolean;
  call(target: CallTarget): Promise<unknown>;
}

const size = { columns: 80, rows: 24 };

export const invocations: readonly Invocation[] = [
  needs("edited-approvals", ["decision"], ({ input }) => ({ type: "allow", input: editInput(input) })),
  needs("told-denials", ["decision"], () => ({ type: "deny", message: "Not that file.", interrupt: false })),
  {
    feature: "choice for an approval",
    moments: ["decision"],
    isMissing: () => true,
    call: answerWith(() => ({ type: "choose", answers: { approve: "yes" } })),
  },
  needs("interrupt", ["decision"], () => ({ type: "deny", message: "", interrupt: true })),
  calls("interrupt", ["turn"], ({ fairlead, session }) => fairlead.interrupt(session)),
  calls("steer", ["turn", "decision"], ({ fairlead, session }) => fairlead.steer(session, "Turn left.")),
  calls("queue", ["turn", "decision"], ({ fairlead, session }) => fairlead.send(session, "touch queued.txt")),
  calls("take-over", ["idle", "turn", "decision", "paused"], ({ fairlead, session }) =>
    fairlead.takeOver(session, size),
  ),
  calls("fork", ["idle", "turn", "decision", "paused", "ended"], ({ fairlead, session }) => fairlead.fork(session)),
  calls("resume", ["ended"], ({ fairlead, session }) => fairlead.resume(session)),
  calls("max-turns", ["no session"], ({ fairlead, start }) => fairlead.start(withSettings(start, { maxTurns: 3 }))),
  calls("system-prompt", ["no session"], ({ fairlead, start }) =>
    fairlead.start(withSettings(start, { systemPrompt: "Be brief." })),
  ),
  ...(["accept-edits", "plan", "full-auto", "dangerously-skip-permissions"] as const).map(startsInMode),
  {
    feature: "context",
    moments: ["idle", "turn", "paused"],
    isMissing: executesMessages,
    call: ({ fairlead, session }) => fairlead.inject(session, "By the way."),
  },
  {
    feature: "rebuilt",
    moments: ["idle", "ended"],
    isMissing: executesMessages,
    call: ({ fairlead, session }) => fairlead.fork(session, { outcome: "rebuilt" }),
  },
];

/** Changes the content that the agent wants to write. */
export function editInput(input: unknown): unknown {
  return JSON.parse(JSON.stringify(input).replaceAll("asked", "edited")) as unknown;
}

function calls(feature: Capability, moments: readonly Moment[], call: Invocation["call"]): Invocation {
  return { feature, moments, call, isMissing: (_, declared) => !declared.includes(feature) };
}

function needs(feature: Capability, moments: readonly Moment[], answer: (target: CallTarget) => Answer): Invocation {
  return calls(feature, moments, answerWith(answer));
}

function answerWith(answer: (target: CallTarget) => Answer): Invocation["call"] {
  return (target) => target.fairlead.answer(target.session, target.decision, answer(target));
}

function startsInMode(mode: PermissionMode): Invocation {
  return {
    feature: `mode ${mode}`,
    moments: ["no session"],
    isMissing: ({ modes }) => !modes.includes(mode),
    call: ({ fairlead, start }) => fairlead.start({ ...start, mode }),
  };
}

function withSettings(start: StartRequest, settings: Readonly<Record<string, unknown>>): StartRequest {
  return { ...start, settings: { ...start.settings, ...settings }, prompt: "touch started.txt" };
}

function executesMessages({ messages }: Manifest): boolean {
  return messages === "command";
}
