import { sanitizeText, toOneLine } from "@fairlead/api";
import { isTextComplete, needsPerson, type Delta, type Event } from "@fairlead/contract";
import { wrapWithPrefix, truncateLine } from "./text-layout.ts";
import { approvalLines, callSummary, questionLines, readingLines, resolutionLine } from "./decision-lines.ts";
import { noPaint, type Paint } from "./paint.ts";
import type { OutputChunk } from "./output-chunk.ts";
import { endedLine, resumedLine, startedLine } from "./session-lines.ts";
import { AgentTextRenderer } from "./agent-text-renderer.ts";
import { quotaLine } from "./quota-line.ts";
import { showsAll, toolEndingLines, toolHeading } from "./tool-lines.ts";
import { TurnMeter } from "./turn-meter.ts";
import { leadLines } from "./lead-lines.ts";
import { workLine } from "./work-line.ts";

export interface TranscriptRendererOptions {
  readonly paint?: Paint;
  readonly width?: number;
  /** The width at which the terminal wraps lines. */
  readonly columns?: number;
  /** Returns the display name of an agent. */
  readonly label?: (agent: string) => string;
  /** A person takes part: what they did themselves is not shown again. */
  readonly live?: boolean;
  /** A person answers decisions here, so everything about them must be on the screen. */
  readonly asking?: boolean;
  /** The permission mode, for a transcript that starts after `session.started`. */
  readonly mode?: string;
  /** Explains what in the output of a failed call comes from the sandbox, as sentences. */
  readonly explainFailure?: (output: string) => readonly string[];
}

type EventBody<Type extends Event["body"]["type"]> = Extract<Event["body"], { type: Type }>;

/** Renders events and deltas as text. Writes to no stream: the same events give the same chunks. */
export class TranscriptRenderer {
  readonly #options: Required<TranscriptRendererOptions>;
  readonly #agentText: AgentTextRenderer;
  readonly #meter = new TurnMeter();
  readonly #typedMessages: string[] = [];
  #mode: string;
  /** The call in the last line, and whether that line shows all of its input. */
  #lastCall: { readonly call: string; readonly input: string; readonly whole: boolean } | null = null;
  /** The open decisions, each as a line. */
  readonly #openRequests = new Map<string, string>();
  /** Whether several requests were open together, and one of them still is: answers then name their request. */
  #namesRequests = false;
  /** The output of the last tool if it was shown completely: an agent may repeat it as text. */
  #lastToolOutput: string | null = null;

  constructor(options: TranscriptRendererOptions = {}) {
    const defaults = {
      paint: noPaint,
      width: 100,
      columns: Infinity,
      label: (id: string) => id,
      live: false,
      asking: false,
      explainFailure: () => [],
    };
    this.#options = { ...defaults, mode: "default", ...options };
    this.#mode = this.#options.mode;
    this.#agentText = new AgentTextRenderer(this.#options.paint, this.#options.columns);
  }

  /** Records a message that was typed here: it is already on the screen. */
  addTypedMessage(text: string): void {
    this.#typedMessages.push(text);
  }

  /** Renders a line from the CLI itself. */
  renderNote(text: string): OutputChunk[] {
    return [...this.endLine(), ...toStdout(`${this.#options.paint("dim", text)}\n`)];
  }

  /** Ends the current line, if one is open. */
  endLine(): OutputChunk[] {
    return toStdout(this.#agentText.breakLine());
  }

  render(item: Event | Delta): OutputChunk[] {
    if (!("body" in item)) return this.#renderDelta(item);
    const { body } = item;
    if (body.type === "text.ended" || body.type === "reasoning.ended") return this.#renderCompleteText(body);
    const lines = this.#renderEvent(item);
    if (lines.length === 0) return [];
    const isProblem = body.type === "error.raised" || (body.type === "status.reported" && body.level === "warning");
    const text = lines.map((line) => `${line}\n`).join("");
    return [...this.endLine(), { to: isProblem && this.#options.live ? "err" : "out", text }];
  }

  #renderDelta(delta: Delta): OutputChunk[] {
    if (delta.parent !== undefined || delta.type === "screen") return [];
    this.#lastCall = null;
    return toStdout(this.#agentText.append(delta));
  }

  #renderCompleteText(body: EventBody<"text.ended" | "reasoning.ended">): OutputChunk[] {
    const { paint, columns } = this.#options;
    const { part = 1 } = body;
    if (body.parent !== undefined) {
      if (part > 1 && body.text === "") return [];
      const mark = part === 1 ? "  ↳ " : "  │ ";
      const lines = wrapWithPrefix(sanitizeText(body.text).trimEnd(), mark, "  │ ", columns);
      return toStdout(`${this.#agentText.breakLine()}${paint("dim", lines.join("\n"))}\n`);
    }
    const kind = body.type === "text.ended" ? "text" : "reasoning";
    const isRepeat =
      body.part === undefined &&
      kind === "text" &&
      this.#agentText.streamedText === "" &&
      body.text === this.#lastToolOutput;
    [this.#lastCall, this.#lastToolOutput] = [null, null];
    return isRepeat ? [] : toStdout(this.#agentText.complete(kind, body.text, isTextComplete(body)));
  }

  #renderEvent({ body, session, occurredAt }: Event): string[] {
    const { paint, width, columns, label, live } = this.#options;
    const fit = (line: string): string => truncateLine(line, columns);
    const withMargin = (text: string, mark: string): string => wrapWithPrefix(text, mark, "│ ", columns).join("\n");
    switch (body.type) {
      case "session.started":
        this.#mode = body.mode;
        return [paint("dim", fit(startedLine(body, session, label(body.agent))))];
      case "session.changed":
        this.#mode = body.mode ?? this.#mode;
        return body.mode === undefined ? [] : [paint("dim", `The mode is now ${body.mode}.`)];
      case "session.paused":
        return live ? [] : [paint("dim", "Paused.")];
      case "session.unpaused":
        return [];
      case "session.resumed":
        return live ? [] : [paint("dim", resumedLine(body))];
      case "session.ended":
        return [paint(body.reason === "crashed" || body.reason === "lost" ? "red" : "dim", endedLine(body))];
      case "lead.changed":
        return [paint("dim", leadLines[body.lead])];
      case "message.queued":
        return live ? [] : [paint("dim", fit(`Queued: ${toOneLine(body.text)}`))];
      case "message.returned":
        return [
          paint("yellow", `Not processed: ${returnReasons[body.reason]} The message was:`),
          ...wrapWithPrefix(sanitizeText(body.text).trimEnd(), "> ", "> ", columns),
        ];
      case "turn.started":
        this.#meter.start(occurredAt);
        return this.#renderMessage(body);
      case "turn.steered":
        return this.#renderMessage({ input: body.text, origin: "user" });
      case "turn.ended":
        this.#agentText.endTurn();
        return [this.#meter.summaryLine(body.outcome, occurredAt, paint)];
      case "usage.reported":
        this.#meter.recordUsage(body);
        return [];
      case "plan.updated":
        return body.steps.map(({ text, state }) => fit(`  ${planStepMarks[state]} ${toOneLine(text)}`));
      case "context.injected":
        return [paint("dim", fit(`Context for the next message: ${toOneLine(body.text)}`))];
      case "brief.updated":
        return [paint("dim", fit(`The brief was changed: ${toOneLine(body.brief.title)}`))];
      case "progress.reported":
      case "artifact.produced":
        return [fit(workLine(body))];
      case "context.compacted":
        return [paint("dim", "The agent compacted its context.")];
      case "tool.requested": {
        const { text, whole } = toolHeading(body, width);
        this.#lastCall = { call: body.call, input: JSON.stringify(body.input), whole };
        return [paint("cyan", text)];
      }
      case "tool.started":
      case "tool.progressed":
        return [];
      case "tool.ended":
        return this.#renderToolEnded(body);
      case "file.changed":
        return [fit(`  ${body.change} ${toOneLine(body.path)}${body.attribution === "unknown" ? unknownOrigin : ""}`)];
      case "decision.requested":
        this.#openRequests.set(body.decision, truncateLine(callSummary(body), maxRequestWidth));
        return this.#renderDecision(body);
      case "decision.resolved":
        return this.#renderResolution(body);
      case "network.judged":
        return isRefusalShown(body)
          ? [
              paint(
                "yellow",
                fit(
                  `· network: ${toOneLine(body.host)}:${body.port} was refused: ${refusalReasons[body.rule] ?? body.rule}`,
                ),
              ),
            ]
          : [];
      case "quota.reported":
        return [quotaLine(body)].flatMap((line) => (line === null ? [] : [paint("yellow", fit(line))]));
      case "status.reported":
        return [
          paint(body.level === "warning" ? "yellow" : "dim", withMargin(sanitizeText(body.message).trimEnd(), "· ")),
        ];
      case "error.raised":
        return [paint("red", withMargin(`${sanitizeText(body.message).trimEnd()} (${body.category})`, "✗ "))];
      case "unrecognized":
        return [paint("dim", fit(`· unrecognized output: ${toOneLine(body.reason)}`))];
      case "text.ended":
      case "reasoning.ended":
        return [];
      default:
        return body satisfies never;
    }
  }

  #renderMessage({ input, origin }: Pick<EventBody<"turn.started">, "input" | "origin">): string[] {
    const typedIndex = this.#typedMessages.indexOf(input);
    if (typedIndex >= 0) this.#typedMessages.splice(typedIndex, 1);
    if (typedIndex >= 0 || origin === "agent") return [];
    const { paint, columns } = this.#options;
    // A person typed it in the agent's own terminal, and not to Fairlead.
    const mark = origin === "terminal" ? "terminal> " : "> ";
    return [paint("bold", wrapWithPrefix(sanitizeText(input).trimEnd(), mark, "> ", columns).join("\n"))];
  }

  #renderToolEnded(body: EventBody<"tool.ended">): string[] {
    const { paint, width, columns, explainFailure } = this.#options;
    const isOutputShown = body.output !== "" && this.#agentText.streamedText === body.output;
    const showName = this.#lastCall?.call !== body.call;
    this.#lastCall = null;
    this.#lastToolOutput = showsAll(body.output) ? body.output : null;
    const hints = body.reason === "failed" ? explainFailure(body.output) : [];
    return [
      ...toolEndingLines(body, { paint, width, showName, isOutputShown }),
      ...hints
        .flatMap((hint) => wrapWithPrefix(toOneLine(hint), "  ! ", "    ", columns))
        .map((line) => paint("yellow", line)),
    ];
  }

  #renderResolution(body: EventBody<"decision.resolved">): string[] {
    const { paint, columns, live } = this.#options;
    // With one request open, the line above may be about the agent's text, but no other request can be meant.
    const isOther = this.#openRequests.size > 1 || this.#namesRequests;
    const request = this.#openRequests.get(body.decision) ?? null;
    this.#openRequests.delete(body.decision);
    this.#namesRequests = isOther && this.#openRequests.size > 0;
    if (live && body.by.kind === "person" && body.outcome !== "canceled") return [];
    return [paint("dim", truncateLine(resolutionLine(body, isOther ? request : null), columns))];
  }

  #renderDecision(body: EventBody<"decision.requested">): string[] {
    const { paint, asking, columns } = this.#options;
    if (body.kind === "question") {
      return asking ? [] : (body.questions ?? []).flatMap((question) => questionLines(question, paint, columns));
    }
    if (!needsPerson(this.#mode, body)) return [];
    const isCallShown = body.call !== undefined && this.#lastCall?.call === body.call;
    const isFullyShown =
      isCallShown && this.#lastCall?.whole === true && this.#lastCall.input === JSON.stringify(body.input);
    if (asking) {
      const callLines = isFullyShown ? [] : approvalLines(body, { isCallShown, paint, columns });
      return [...callLines, ...readingLines(body, paint, columns)];
    }
    return [
      paint(
        "dim",
        isCallShown ? "  asks for approval" : truncateLine(`  asks for approval: ${toOneLine(body.title)}`, columns),
      ),
    ];
  }
}

/** Refusals that a person did not cause and that can explain why a command failed. */
function isRefusalShown({ verdict, rule }: EventBody<"network.judged">): boolean {
  return verdict === "refused" && rule !== "not-needed" && rule !== "answer";
}

/** Why a connection was refused, if a person would ask. */
const refusalReasons: Partial<Record<EventBody<"network.judged">["rule"], string>> = {
  private: "it leads to this machine or a private network.",
  address: "it is an address, and only names are allowed.",
  invalid: "it is not a host and a port.",
  unresolved: "the name has no address.",
  unlisted: "it is not listed, and nobody can be asked now.",
  "no-answer": "no answer came in time.",
  "too-many": "too many hosts wait for an answer.",
};

const returnReasons: Readonly<Record<EventBody<"message.returned">["reason"], string>> = {
  stopped: "the session was stopped before its turn.",
  ended: "the session ended before its turn.",
  unconfirmed: "the agent exited before it confirmed the message.",
  failed: "the adapter could not process it.",
};
/** Limit of a request in the line about its answer, in cells. */
const unknownOrigin = " (maybe by another program)";
const maxRequestWidth = 60;
const planStepMarks = { pending: "[ ]", active: "[>]", done: "[x]" } as const;

function toStdout(text: string): OutputChunk[] {
  return text === "" ? [] : [{ to: "out", text }];
}
