import { maskCredentials } from "@fairlead/contract";
import { pino, stdTimeFunctions, type Logger as Pino } from "pino";
import { type LogFields, pickLogFields } from "./log-fields.ts";
import { serializeError } from "./serialize-error.ts";

const levels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

export interface LoggerOptions {
  /** The lowest level to write. Default: `info`. */
  readonly level?: string | undefined;
  /** Whether to write prompts and agent output. Credentials are redacted in any case. */
  readonly content?: boolean;
  readonly write: (line: string) => void;
}

/** Writes the service's log: one JSON object per line, with a fixed message and fields from a closed list. */
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
        // Pino's own would take what `serializeError` returns for an error, and write its text twice.
        serializers: { err: (serialized: unknown) => serialized },
        hooks: { streamWrite: redactCredentials },
      },
      { write },
    );
    if (!isKnown) this.warn(`FAIRLEAD_LOG is not one of ${levels.join(", ")}; using info`);
  }

  debug(message: string, fields: LogFields = {}): void {
    // Most debug lines are not written. The check avoids the cost of picking their fields.
    if (this.#pino.isLevelEnabled("debug")) this.#pino.debug(pickLogFields(fields, this.#content), message);
  }

  info(message: string, fields: LogFields = {}): void {
    this.#pino.info(pickLogFields(fields, this.#content), message);
  }

  warn(message: string, fields: LogFields = {}): void {
    this.#pino.warn(pickLogFields(fields, this.#content), message);
  }

  error(message: string, error: unknown, fields: LogFields = {}): void {
    this.#pino.error({ ...pickLogFields(fields, this.#content), err: serializeError(error) }, message);
  }
}

const redacted = "(redacted)";

/** Formats of common credentials, this service's tokens first. */
const credentialPatterns = [
  /\bfl_[\w-]{20,}/g,
  /\b(?:bearer|basic) +[^\s"\\,]+/gi,
  /\bsk-[\w-]{16,}/g,
  /\bgh[a-z]_\w{20,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
];

/** A text of several parts, such as a JSON web token. It starts where no part can, so that each character is read once. */
const dottedPattern = /(?<![\w.-])[\w-]+(?:\.[\w-]+)+/g;

/** Whether a text contains a JSON web token: two parts that are base64 of JSON objects, and a signature. */
function containsWebToken(dotted: string): boolean {
  const parts = dotted.split(".");
  return parts.some((part, at) => {
    const [payload = "", signature] = parts.slice(at + 1, at + 3);
    return /\bey[\w-]{10}/.test(part) && /^ey[\w-]{10}/.test(payload) && signature !== undefined;
  });
}

/** Redacts values that look like credentials. A last resort: no caller should pass credentials to the logger. */
function redactCredentials(line: string): string {
  const withoutTokens = line.replaceAll(dottedPattern, (text) => (containsWebToken(text) ? redacted : text));
  return maskCredentials(
    credentialPatterns.reduce((text, pattern) => text.replaceAll(pattern, redacted), withoutTokens),
  );
}
