import type { Delta, Event } from "@fairlead/contract";
import { cut } from "./cut.ts";
import { approvalLines, questionLines, resolutionLine } from "./decision-lines.ts";
import { unpainted, type Paint } from "./paint.ts";
import type { Piece } from "./piece.ts";
import { plain } from "./plain.ts";
import { headedRows } from "./rows.ts";
import { endedLine, resumedLine, startedLine } from "./session-lines.ts";
import { Spoken } from "./spoken.ts";
import { oneLine, showsAll, toolEnding, toolHead } from "./tool-lines.ts";
import { TurnMeter } from "./turn-meter.ts";

export interface TranscriptOptions {
  readonly paint?: Paint;
  readonly width?: number;
  /** How wide a line can be before the terminal breaks it. */
  readonly columns?: number;
  /** What people call an agent. */
  readonly label?: (adapter: string) => string;
  /** Somebody is talking here: what they did themselves is not told to them. */
  readonly live?: boolean;
  /** Decisions are put to a person here, so everything about them must be on the screen. */
  readonly asking?: boolean;
  /** The permission mode, for those who come in after the session has said it. */
  readonly mode?: string;
}

type Body<Type extends Event["body"]["type"]> = Extract<Event["body"], { type: Type }>;

/** Turns events and deltas into what people read. It holds no stream: the same events give the same pieces. */
export class Transcript {
  readonly #options: Required<TranscriptOptions>;
  readonly #spoken: Spoken;
  readonly #meter = new TurnMeter();
  readonly #typed: string[] = [];
  #mode: string;
  /** The call in the last line, and whether that line leaves nothing out. */
  #above: { readonly call: string; readonly input: string; readonly whole: boolean } | null = null;
  /** What a tool printed and we have just shown whole: an agent may say it again as a text. */
  #printed: string | null = null;

  constructor(options: TranscriptOptions = {}) {
    const standard = {
      paint: unpainted,
      width: 100,
      columns: Infinity,
      label: (id: string) => id,
      live: false,
      asking: false,
    };
    this.#options = { ...standard, mode: "default", ...options };
    this.#mode = this.#options.mode;
    this.#spoken = new Spoken(this.#options.paint, this.#options.columns);
  }

  /** A message that was typed here: it stands on the screen already. */
  typed(text: string): void {
    this.#typed.push(text);
  }

  /** A line of our own, between what is told. */
  note(text: string): Piece[] {
    return [...this.end(), ...out(`${this.#options.paint("dim", text)}\n`)];
  }

  /** Ends the line that is being written, if there is one. */
  end(): Piece[] {
    return out(this.#spoken.breakLine());
  }

  take(item: Event | Delta): Piece[] {
    if (!("body" in item)) return this.#delta(item);
    const { body } = item;
    if (body.type === "text.ended" || body.type === "reasoning.ended") return this.#whole(body);
    const lines = this.#lines(item);
    if (lines.length === 0) return [];
    const bad = body.type === "error.raised" || (body.type === "status.reported" && body.level === "warning");
    const text = lines.map((line) => `${line}\n`).join("");
    return [...this.end(), { to: bad && this.#options.live ? "err" : "out", text }];
  }

  #delta(delta: Delta): Piece[] {
    if (delta.parent !== undefined || delta.type === "screen") return [];
    this.#above = null;
    return out(this.#spoken.delta(delta));
  }

  #whole(body: Body<"text.ended" | "reasoning.ended">): Piece[] {
    const { paint, columns } = this.#options;
    if (body.parent !== undefined) {
      const lines = headedRows(plain(body.text).trimEnd(), "  ↳ ", "  │ ", columns);
      return out(`${this.#spoken.breakLine()}${paint("dim", lines.join("\n"))}\n`);
    }
    const kind = body.type === "text.ended" ? "text" : "reasoning";
    const again = kind === "text" && this.#spoken.heard === "" && body.text === this.#printed;
    [this.#above, this.#printed] = [null, null];
    return again ? [] : out(this.#spoken.whole(kind, body.text));
  }

  #lines({ body, session, occurredAt }: Event): string[] {
    const { paint, width, columns, label, live } = this.#options;
    const fit = (line: string): string => cut(line, columns);
    const told = (text: string, mark: string): string => headedRows(text, mark, "│ ", columns).join("\n");
    switch (body.type) {
      case "session.started":
        this.#mode = body.mode;
        return [paint("dim", fit(startedLine(body, session, label(body.agent))))];
      case "session.changed":
        this.#mode = body.mode ?? this.#mode;
        return body.mode === undefined ? [] : [paint("dim", `The mode is now ${body.mode}.`)];
      case "session.paused":
        return live ? [] : [paint("dim", "Paused.")];
      case "session.resumed":
        return live ? [] : [paint("dim", resumedLine(body))];
      case "session.ended":
        return [paint(body.reason === "crashed" || body.reason === "lost" ? "red" : "dim", endedLine(body))];
      case "lead.changed":
        return [
          paint("dim", body.lead === "human" ? "A person leads, in the agent's own terminal." : "The agent leads."),
        ];
      case "turn.started":
        this.#meter.start(occurredAt);
        return this.#message(body);
      case "turn.steered":
        return this.#message({ input: body.text, origin: "user" });
      case "turn.ended":
        return [this.#meter.line(body.outcome, occurredAt, paint)];
      case "usage.reported":
        this.#meter.use(body);
        return [];
      case "plan.updated":
        return body.steps.map(({ text, state }) => fit(`  ${boxes[state]} ${oneLine(text)}`));
      case "context.injected":
        return [paint("dim", fit(`To be told with the next message: ${oneLine(body.text)}`))];
      case "context.compacted":
        return [paint("dim", "The agent has shortened its memory of the conversation.")];
      case "tool.requested": {
        const { text, whole } = toolHead(body, width);
        this.#above = { call: body.call, input: JSON.stringify(body.input), whole };
        return [paint("cyan", text)];
      }
      case "tool.started":
      case "tool.progressed":
        return [];
      case "tool.ended":
        return this.#ended(body);
      case "file.changed":
        return [fit(`  ${body.change} ${oneLine(body.path)}`)];
      case "decision.requested":
        return this.#asked(body);
      case "decision.resolved":
        return live && body.by === "user" ? [] : [paint("dim", fit(resolutionLine(body)))];
      case "status.reported":
        return [paint(body.level === "warning" ? "yellow" : "dim", told(plain(body.message).trimEnd(), "· "))];
      case "error.raised":
        return [paint("red", told(`${plain(body.message).trimEnd()} (${body.category})`, "✗ "))];
      case "unrecognized":
        return [paint("dim", fit(`· something that was not understood: ${oneLine(body.reason)}`))];
      case "text.ended":
      case "reasoning.ended":
        return [];
      default:
        return body satisfies never;
    }
  }

  #message({ input, origin }: Pick<Body<"turn.started">, "input" | "origin">): string[] {
    const typed = this.#typed.indexOf(input);
    if (typed >= 0) this.#typed.splice(typed, 1);
    if (typed >= 0 || origin === "agent") return [];
    const { paint, columns } = this.#options;
    return [paint("bold", headedRows(plain(input).trimEnd(), "> ", "> ", columns).join("\n"))];
  }

  #ended(body: Body<"tool.ended">): string[] {
    const { paint, width } = this.#options;
    const shown = body.output !== "" && this.#spoken.heard === body.output;
    const named = this.#above?.call !== body.call;
    this.#above = null;
    this.#printed = showsAll(body.output) ? body.output : null;
    return toolEnding(body, { paint, width, named, shown });
  }

  #asked(body: Body<"decision.requested">): string[] {
    const { paint, asking, columns } = this.#options;
    if (body.kind === "question") {
      return asking ? [] : (body.questions ?? []).flatMap((question) => questionLines(question, paint, columns));
    }
    if (this.#mode === "full-auto") return [];
    const headed = body.call !== undefined && this.#above?.call === body.call;
    const told = headed && this.#above?.whole === true && this.#above.input === JSON.stringify(body.input);
    if (asking) return told ? [] : approvalLines(body, { headed, paint, columns });
    return [paint("dim", headed ? "  asks for approval" : cut(`  asks for approval: ${oneLine(body.title)}`, columns))];
  }
}

const boxes = { pending: "[ ]", active: "[>]", done: "[x]" } as const;

function out(text: string): Piece[] {
  return text === "" ? [] : [{ to: "out", text }];
}
