import type { Conversation, Dialect, Effect, Exit, Heard, Opening, Wish } from "@fairlead/contract";
import {
  callEnded,
  callRequested,
  failureCategory,
  flagArguments,
  identified,
  metered,
  parseJsonLine,
} from "@fairlead/kit";
import { quietTalk, takeUp, turnOver, writtenDialect } from "@fairlead/kit";
import type { Calls, Message, Meters, StepWriter, Talk } from "@fairlead/kit";
import { z } from "zod";
import { acpAdapter, AcpSettings, type AcpChoice } from "../acp/adapter.ts";

// Without this it starts itself a second time, and the first process cannot be ended properly.
const env = { GEMINI_CLI_NO_RELAUNCH: "true" };

export const geminiCli = acpAdapter({
  id: "gemini-cli",
  version: "0.1.0",
  vendor: "Google",
  label: "Gemini CLI",
  models: ["auto", "gemini-3.1-pro-preview", "gemini-3-flash-preview", "gemini-2.5-pro", "gemini-2.5-flash"],
  capabilities: [
    "streaming",
    "reasoning",
    "tools",
    "file-events",
    "approvals",
    "interrupt",
    "queue",
    "resume",
    "usage",
  ],
  modes: {
    default: null,
    "accept-edits": "autoEdit",
    plan: "plan",
    "full-auto": null,
    "dangerously-skip-permissions": "yolo",
  },
  environment: ["GEMINI_*", "GOOGLE_*"],
  honours: ["model", "options"],
  probe: {
    program: "gemini",
    missing: "Gemini CLI is not installed: run `npm install -g @google/gemini-cli`.",
    keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    logins: ["~/.gemini/oauth_creds.json"],
    unsigned: "It has no key: set GEMINI_API_KEY.",
    always: [
      "Its vendor retired it for personal accounts on 2026-06-18; with an API key it still works: set GEMINI_API_KEY.",
    ],
  },
  // Only in debug mode does it tell what a command printed, and that it failed.
  launch: (choice) => ({ args: ["--acp", "--debug", ...flags(choice)], env }),
  otherwise: { lacking: "--acp", open: turnByTurn },
  authMethod: "gemini-api-key",
  // It has a list of commands that it holds for harmless, which differs from version to version: about those it never
  // asks, and only of what it does not ask about does it say that it is in progress.
  asksFirst: true,
  quirks: {
    toolName: { idBefore: "__" },
    usage: "meta-quota",
    provider: "google",
    thoughtPrefix: "****\n",
    // It names the record of a conversation after the minute and the first letters of the name, also that of the empty
    // one with which it begins to load another: within the same minute it would write over what it is about to read.
    loadPrefix: " ",
    replayQuiet: 300,
    // It ends a turn as if all were well when the stream kept breaking; but its own commands need no model.
    unused: { category: "connection-lost", unless: /^\s*[/$]/ },
    phrases: [[/fetch failed/i, "unreachable"]],
    commandReport:
      /^Output: (?<output>[^]*?)(?:\nError: [^\n]*)?(?:\nExit Code: (?<exit>-?\d+))?(?:\nSignal: \w+)?(?:\nBackground PIDs: [^\n]*)?(?:\nProcess Group PGID: \d+)?$/,
  },
});

/** Modes that it grants only in a folder that is trusted. */
const privileged = ["accept-edits", "dangerously-skip-permissions"];

function flags({ settings, mode, finding }: AcpChoice, trusting = privileged.includes(mode)): string[] {
  const { acp: _, debug: __, ...options } = settings.options;
  const chosen = {
    ...options,
    ...(settings.model !== undefined && { model: settings.model }),
    ...(trusting && finding.flags.includes("--skip-trust") && { "skip-trust": true }),
  };
  return Object.entries(chosen).flatMap(([flag, value]) => flagArguments(`--${flag}`, value));
}

/** A version without the protocol is launched for each turn and only listened to: it cannot ask, so it may do less. */
function turnByTurn(opening: Opening): Conversation {
  const { mode, workspace, finding } = opening;
  const settings = AcpSettings.parse(opening.settings);
  const approval = { "accept-edits": "auto_edit", plan: "plan", "dangerously-skip-permissions": "yolo" } as const;
  const kept = mode === "default" || mode === "full-auto" ? "default" : approval[mode];
  const passed = flags({ settings, mode, workspace, finding }, true);
  const dialect = listening({
    continues: opening.continues?.agentSessionId ?? null,
    deadline: settings.retryDeadline,
    launch: (agentSessionId, text) => ({
      type: "launch",
      line: {
        program: finding.program ?? "gemini",
        args: [
          "--output-format",
          "stream-json",
          "--approval-mode",
          kept,
          ...passed,
          ...(agentSessionId === null ? [] : ["--resume", agentSessionId]),
          `--prompt=${text}`,
        ],
        env,
        cwd: workspace,
        stdin: "none",
      },
    }),
  });
  return { life: "turn", protocol: "stream-json", dialect };
}

interface Listening {
  readonly continues: string | null;
  /** How long it may be silent, in milliseconds. */
  readonly deadline: number;
  launch(agentSessionId: string | null, text: string): Effect;
}

interface State extends Talk {
  readonly calls: Calls;
  readonly meters: Meters;
  readonly text: string;
  readonly heard: boolean;
  readonly late: boolean;
  /** What it said of the turn at its end; null until it has. */
  readonly result: { readonly error: string | null } | null;
  readonly lastWords: string;
}

const Counts = z.looseObject({ input: z.int(), cached: z.int(), output_tokens: z.int() });
const Spoken = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("init"), session_id: z.string(), model: z.string() }),
  z.looseObject({ type: z.literal("message"), role: z.string(), content: z.string() }),
  z.looseObject({ type: z.literal("tool_use"), tool_id: z.string(), tool_name: z.string(), parameters: z.unknown() }),
  z.looseObject({
    type: z.literal("tool_result"),
    tool_id: z.string(),
    status: z.string(),
    output: z.string().default(""),
  }),
  z.looseObject({
    type: z.literal("result"),
    error: z.looseObject({ message: z.string() }).optional(),
    stats: z.looseObject({ models: z.record(z.string(), Counts).default({}) }).default({ models: {} }),
  }),
]);

type Writer = StepWriter<State>;
const silence = "silence";

function listening(manner: Listening): Dialect<State> {
  const quiet = { calls: {}, meters: {}, text: "", heard: false, late: false, result: null, lastWords: "" };
  return writtenDialect<State>({
    start: { ...quietTalk, ...quiet, proving: manner.continues },
    hear: (writer, heard) => hear(manner, writer, heard),
    ask: (writer, wish) => ask(manner, writer, wish),
  });
}

function speaking(manner: Listening, writer: Writer): (message: Message) => Effect {
  return ({ text }) => {
    writer.set({ text: "", heard: false, late: false, result: null, lastWords: "" });
    writer.effect({ type: "alarm", name: silence, after: manner.deadline });
    return manner.launch(writer.state.agentSessionId ?? manner.continues, text);
  };
}

function ask(manner: Listening, writer: Writer, wish: Wish): void {
  const { agentSessionId, current } = writer.state;
  if (wish.type === "open") {
    const message =
      "This version does not know --acp: it cannot ask for approvals, and does only what its mode allows.";
    writer.event({ type: "status.reported", level: "warning", message });
  }
  if (wish.type === "resume" && agentSessionId === null)
    writer.event({ type: "session.resumed", outcome: "fresh", agentSessionId });
  if (wish.type === "resume") writer.set({ proving: agentSessionId });
  if (wish.type === "send") takeUp(writer, wish, speaking(manner, writer));
  const stops = wish.type === "interrupt" || wish.type === "pause" || wish.type === "end";
  if (stops && current !== null) writer.set({ interrupting: true }).effect({ type: "kill" });
}

function hear(manner: Listening, writer: Writer, heard: Heard): void {
  if (heard.kind === "exited") exited(manner, writer, heard.exit);
  if (heard.kind === "alarm" && heard.name === silence && writer.state.current !== null) {
    if (writer.state.heard) writer.effect({ type: "alarm", name: silence, after: manner.deadline });
    else writer.set({ late: true }).effect({ type: "kill" });
    writer.set({ heard: false });
  }
  if (heard.kind !== "line") return;
  if (heard.stream === "err") return void writer.set({ lastWords: heard.text.slice(0, 500) || writer.state.lastWords });
  const spoken = Spoken.safeParse(parseJsonLine(heard.text)).data;
  if (spoken === undefined) {
    writer.event({ type: "unrecognized", reason: "not a known message", raw: heard.text.slice(0, 4000) });
  } else understood(writer.set({ heard: true }), spoken);
}

function understood(writer: Writer, spoken: z.infer<typeof Spoken>): void {
  if (spoken.type !== "message") textOver(writer);
  if (spoken.type === "init") identified(writer, spoken.session_id, spoken.model);
  else if (spoken.type === "message") {
    if (spoken.role !== "assistant") return;
    writer.set({ text: writer.state.text + spoken.content }).delta({ type: "text.delta", text: spoken.content });
  } else if (spoken.type === "tool_use") {
    callRequested(writer, { call: spoken.tool_id, name: spoken.tool_name, input: spoken.parameters });
  } else if (spoken.type === "tool_result") {
    const reason = spoken.status === "success" ? undefined : "failed";
    callEnded(writer, spoken.tool_id, { output: spoken.output, reason });
  } else {
    for (const [model, { input, cached, output_tokens: output }] of Object.entries(spoken.stats.models)) {
      const tokens = { uncached: input, cacheRead: cached, cacheWrite: 0, output, reasoning: 0 };
      metered(writer, { kind: "delta", provider: "google", model, tokens, cost: null });
    }
    writer.set({ result: { error: spoken.error?.message ?? null } });
  }
}

function textOver(writer: Writer): void {
  const { text } = writer.state;
  if (text !== "") writer.set({ text: "" }).event({ type: "text.ended", text });
}

function exited(manner: Listening, writer: Writer, exit: Exit): void {
  const { current, interrupting, late, result, lastWords, proving } = writer.state;
  if (current === null) return;
  textOver(writer);
  writer.set({ calls: {} }).effect({ type: "disarm", name: silence });
  const speak = speaking(manner, writer);
  if (interrupting) return turnOver(writer, "interrupted", speak);
  if (result?.error === null) return turnOver(writer, "completed", speak);
  const message = late ? `It has not said anything for ${manner.deadline / 1000} s.` : (result?.error ?? lastWords);
  const status = /"code": ?(\d{3})/.exec(message)?.[1];
  const told = failureCategory(status === undefined ? null : Number(status), message);
  const unexplained = result === null && told === "unknown" ? (exit.error ? "not-started" : "agent-died") : told;
  const category = late ? "timed-out" : proving !== null ? "session-not-found" : unexplained;
  writer.event({ type: "error.raised", category, message: message || (exit.error ?? "It ended without a word.") });
  turnOver(writer, "failed", speak);
}
