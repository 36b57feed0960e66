import { pino, stdTimeFunctions, type Logger as Pino } from "pino";
import { type Facts, writable } from "./facts.ts";
import { scrub } from "./scrub.ts";
import { toldError } from "./told-error.ts";

const levels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

export interface LoggerOptions {
  /** From which level on; `info` unless told. */
  readonly level?: string | undefined;
  /** Whether to write down what people and agents said. Credentials are never written. */
  readonly content?: boolean;
  readonly write: (line: string) => void;
}

/** What the service writes down about itself: JSON, a line each. Messages are our own words; all else is a fact. */
export class Logger {
  readonly #pino: Pino;
  readonly #content: boolean;

  constructor({ level = "info", content = false, write }: LoggerOptions) {
    const isKnown = levels.includes(level);
    this.#content = content;
    this.#pino = pino(
      {
        level: isKnown ? level : "info",
        base: { pid: process.pid },
        timestamp: stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
        hooks: { streamWrite: scrub },
      },
      { write },
    );
    if (!isKnown) this.warn(`FAIRLEAD_LOG is none of ${levels.join(", ")}; it counts as info`);
  }

  debug(message: string, facts: Facts = {}): void {
    // Most are not written, and then need not be made.
    if (this.#pino.isLevelEnabled("debug")) this.#pino.debug(writable(facts, this.#content), message);
  }

  info(message: string, facts: Facts = {}): void {
    this.#pino.info(writable(facts, this.#content), message);
  }

  warn(message: string, facts: Facts = {}): void {
    this.#pino.warn(writable(facts, this.#content), message);
  }

  error(message: string, error: unknown, facts: Facts = {}): void {
    this.#pino.error({ ...writable(facts, this.#content), err: toldError(error) }, message);
  }
}
