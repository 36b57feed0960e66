import type { Answer, Question } from "@fairlead/contract";
import { questionLines } from "../render/decision-lines.ts";
import { hiddenLines, inputLines } from "../render/input.ts";
import type { Paint } from "../render/paint.ts";
import { jsonLine, plain } from "../render/plain.ts";
import type { Answerer, Decision } from "./answerer.ts";
import { chosen } from "./chosen.ts";
import { editJson } from "./edit-json.ts";
import type { Keyboard } from "./keyboard.ts";

export interface AskingParts {
  readonly keyboard: Keyboard;
  readonly paint: Paint;
  /** How wide a line can be before the terminal breaks it. */
  readonly columns: number;
  /** Writes at once, also while everything else waits. */
  readonly write: (text: string) => void;
  readonly editor: string | undefined;
}

/** Puts what an agent asks to the person at the keyboard. */
export class AskingAnswerer implements Answerer {
  readonly #parts: AskingParts;

  constructor(parts: AskingParts) {
    this.#parts = parts;
  }

  async answer(decision: Decision, signal: AbortSignal): Promise<Answer | null> {
    const { write, columns } = this.#parts;
    if (decision.kind === "question") return await this.#choose(decision.questions ?? [], signal);
    let hidden = hiddenLines(decision.input);
    for (;;) {
      const key = await this.#ask(promptFor(hidden), signal, { fresh: true });
      if (key === null) return null;
      switch (key.trim().toLowerCase()) {
        case "y":
        case "yes":
          return { type: "allow" };
        case "n":
        case "no": {
          const message = await this.#ask("Why not? (may be empty) ", signal);
          if (message === null) return null;
          return { type: "deny", message, interrupt: false };
        }
        case "s":
        case "stop":
          return { type: "deny", message: "", interrupt: true };
        case "f":
        case "full":
          write(`${inputLines(decision.input, { full: true, columns }).join("\n")}\n`);
          hidden = 0;
          break;
        case "e":
        case "edit": {
          const edited = await this.#edit(decision.input, signal);
          if (edited !== null) return { type: "allow", input: edited.input };
          break;
        }
        default:
          this.#say(`Please answer y, n, ${hidden > 0 ? "f, " : ""}e or s.`);
      }
    }
  }

  async #choose(questions: readonly Question[], signal: AbortSignal): Promise<Answer | null> {
    const answers: Record<string, string> = {};
    for (const question of questions) {
      const { write, paint, columns } = this.#parts;
      write(`${questionLines(question, paint, columns).join("\n")}\n`);
      const how = question.several
        ? "Numbers with commas between, or your own words: "
        : "A number, or your own words: ";
      let answer: string | null = null;
      for (let fresh = true; answer === null; fresh = false) {
        const typed = await this.#ask(how, signal, { fresh });
        if (typed === null) return null;
        answer = chosen(question, typed);
      }
      answers[question.text] = answer;
    }
    return { type: "choose", answers };
  }

  /** The input as it was changed, or null when it was not understood. */
  async #edit(input: unknown, signal: AbortSignal): Promise<{ input: unknown } | null> {
    const { editor } = this.#parts;
    try {
      const draft = jsonLine(input);
      const text = editor ? await editJson(input, editor) : await this.#ask("Input: ", signal, { draft });
      return { input: JSON.parse(text ?? "") as unknown };
    } catch (error) {
      signal.throwIfAborted();
      this.#say(`That is not an input: ${plain((error as Error).message)}`);
      return null;
    }
  }

  #ask(prompt: string, signal: AbortSignal, options: { fresh?: boolean; draft?: string } = {}): Promise<string | null> {
    return this.#parts.keyboard.read(prompt, { signal, ...options });
  }

  #say(text: string): void {
    this.#parts.write(`${this.#parts.paint("yellow", text)}\n`);
  }
}

/** Nobody allows unawares what was not on the screen. */
function promptFor(hidden: number): string {
  if (hidden === 0) return "Allow? [y]es  [n]o  [e]dit  [s]top ";
  const what = hidden === 1 ? "1 line is" : `${hidden} lines are`;
  return `${what} NOT SHOWN. Allow? [y]es  [n]o  [f]ull  [e]dit  [s]top `;
}
