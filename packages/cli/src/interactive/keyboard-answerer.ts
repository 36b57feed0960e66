import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hiddenLines, listAnswerChoices, sanitizeText } from "@fairlead/api";
import { toSafeJsonLine, type Answer, type Capability, type Question } from "@fairlead/contract";
import { grantText, questionLines } from "../render/decision-lines.ts";
import { inputLines } from "../render/tool-input.ts";
import type { Paint } from "../render/paint.ts";
import { parseQuestionAnswer, type DecisionAnswerer, type RequestedDecision } from "./decision-answerer.ts";
import type { Keyboard } from "./keyboard.ts";

export interface KeyboardAnswererOptions {
  readonly keyboard: Keyboard;
  readonly paint: Paint;
  /** The width at which the terminal wraps lines. */
  readonly columns: number;
  /** Writes at once, also while other output is held back. */
  readonly write: (text: string) => void;
  readonly editor: string | undefined;
  /** What the agent can do. The answerer offers only answers that it supports. */
  readonly capabilities: readonly Capability[];
}

/** Asks the person at the keyboard for decisions. */
export class KeyboardAnswerer implements DecisionAnswerer {
  readonly #options: KeyboardAnswererOptions;

  constructor(options: KeyboardAnswererOptions) {
    this.#options = options;
  }

  async answer(decision: RequestedDecision, signal: AbortSignal): Promise<Answer | null> {
    const { write, columns, capabilities } = this.#options;
    if (decision.kind === "question") return await this.#answerQuestions(decision.questions ?? [], signal);
    const { canEdit, canExplain, options } = listAnswerChoices(decision, capabilities);
    const granted = grantText(decision);
    let hiddenCount = hiddenLines(decision.input);
    for (;;) {
      const extras = `${granted === null ? "" : "[a]lways  "}${options.length === 0 ? "" : "[o]ption  "}`;
      const key = await this.#ask(approvalQuestion(hiddenCount, canEdit, extras), signal, { fresh: true });
      if (key === null) return null;
      switch (key.trim().toLowerCase()) {
        case "y":
        case "yes":
          return { type: "allow" };
        case "a":
        case "always": {
          const answer = await this.#askScope(granted, signal);
          if (answer !== "again") return answer;
          break;
        }
        case "o":
        case "option": {
          const number = await this.#ask(`Option, 1 to ${options.length}: `, signal);
          if (number === null) return null;
          const option = options[Number(number.trim()) - 1];
          if (option !== undefined) return { type: "allow", option: option.id };
          this.#printNotice("The agent offers no such option.");
          break;
        }
        case "n":
        case "no": {
          const message = canExplain ? await this.#ask("Reason for the agent (optional): ", signal) : "";
          if (message === null) return null;
          return { type: "deny", message, interrupt: false };
        }
        case "s":
        case "stop":
          return { type: "deny", message: "", interrupt: true };
        case "f":
        case "full":
          write(`${inputLines(decision.input, { full: true, columns }).join("\n")}\n`);
          hiddenCount = 0;
          break;
        case "e":
        case "edit": {
          if (!canEdit) {
            this.#printNotice("This agent cannot run a call with an edited input.");
            break;
          }
          const edited = await this.#edit(decision.input, signal);
          if (edited !== null) return { type: "allow", input: edited.input };
          break;
        }
        default:
          this.#printNotice(`Type y, n, ${hiddenCount > 0 ? "f, " : ""}${canEdit ? "e " : ""}or s.`);
      }
    }
  }

  /** Asks how long an approval counts. `again`: the person did not choose. */
  async #askScope(granted: string | null, signal: AbortSignal): Promise<Answer | "again" | null> {
    if (granted === null) {
      this.#printNotice("This call cannot be allowed in general. Type y to allow it once.");
      return "again";
    }
    const typed = await this.#ask(`Always allow ${granted}: in this [s]ession, [f]rom now on, or [n]o? `, signal);
    if (typed === null) return null;
    switch (typed.trim().toLowerCase()) {
      case "s":
        return { type: "allow", remember: "session" };
      case "f":
        return { type: "allow", remember: "rule" };
      default:
        return "again";
    }
  }

  async #answerQuestions(questions: readonly Question[], signal: AbortSignal): Promise<Answer | null> {
    const answers = new Map<string, string>();
    for (const question of questions) {
      const { write, paint, columns } = this.#options;
      write(`${questionLines(question, paint, columns).join("\n")}\n`);
      const label = question.multiSelect ? "Numbers separated by commas, or free text: " : "Number, or free text: ";
      let answer: string | null = null;
      for (let fresh = true; answer === null; fresh = false) {
        const typedAnswer = await this.#ask(label, signal, { fresh });
        if (typedAnswer === null) return null;
        answer = parseQuestionAnswer(question, typedAnswer);
      }
      answers.set(question.text, answer);
    }
    return { type: "choose", answers: Object.fromEntries(answers) };
  }

  /** Returns the edited input, or null if it is not valid JSON. */
  async #edit(input: unknown, signal: AbortSignal): Promise<{ input: unknown } | null> {
    const { editor } = this.#options;
    try {
      const draft = toSafeJsonLine(input);
      const text = editor ? await editJson(input, editor) : await this.#ask("Input: ", signal, { draft });
      return { input: JSON.parse(text ?? "") as unknown };
    } catch (error) {
      signal.throwIfAborted();
      this.#printNotice(`The edited input is not valid: ${sanitizeText((error as Error).message)}`);
      return null;
    }
  }

  #ask(
    question: string,
    signal: AbortSignal,
    options: { fresh?: boolean; draft?: string } = {},
  ): Promise<string | null> {
    return this.#options.keyboard.read(question, { signal, ...options });
  }

  #printNotice(text: string): void {
    this.#options.write(`${this.#options.paint("yellow", text)}\n`);
  }
}

/** Names hidden lines in the question itself, so that a person cannot allow them without notice. */
function approvalQuestion(hiddenCount: number, canEdit: boolean, extras: string): string {
  const edit = `${extras}${canEdit ? "[e]dit  " : ""}`;
  if (hiddenCount === 0) return `Allow? [y]es  [n]o  ${edit}[s]top `;
  const subject = hiddenCount === 1 ? "1 line is" : `${hiddenCount} lines are`;
  return `${subject} NOT SHOWN. Allow? [y]es  [n]o  [f]ull  ${edit}[s]top `;
}

/** Opens a value as JSON in the person's editor and returns the edited text. */
async function editJson(value: unknown, editor: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-edit-"));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  const file = join(folder, "input.json");
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  // The variable may contain arguments, as in "code --wait", so a shell splits it.
  const child = spawn("/bin/sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit" });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`The editor exited with ${code === null ? "a signal" : `code ${code}`}.`);
  return readFileSync(file, "utf8");
}
