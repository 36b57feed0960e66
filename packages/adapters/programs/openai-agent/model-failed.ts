import { APIConnectionError, APIError } from "openai";

/** The model did not answer. The message is for people; `status` is that of HTTP, where there was one. */
export class ModelFailed extends Error {
  readonly status: number | undefined;
  /** Whether it may go better the next time, and when the service wants to be asked again, in milliseconds. */
  readonly passing: boolean;
  readonly retryAfter: number | undefined;

  constructor(message: string, about: Partial<Pick<ModelFailed, "status" | "passing" | "retryAfter">> = {}) {
    super(message);
    this.name = "ModelFailed";
    this.status = about.status;
    this.passing = about.passing ?? false;
    this.retryAfter = about.retryAfter;
  }

  /** What a failed request tells. */
  static from(error: unknown): ModelFailed {
    if (error instanceof ModelFailed) return error;
    if (error instanceof APIConnectionError) {
      return new ModelFailed(`The model could not be reached: ${causes(error)}`, { passing: true });
    }
    if (error instanceof APIError && typeof error.status === "number") {
      const status = error.status;
      const seconds = Number(error.headers?.get("retry-after") ?? Number.NaN);
      return new ModelFailed(`The model's service answered ${error.message}`, {
        status,
        passing: status === 408 || status === 409 || status === 429 || status >= 500,
        ...(Number.isFinite(seconds) && { retryAfter: seconds * 1000 }),
      });
    }
    return new ModelFailed(`The connection was lost in the middle of an answer: ${causes(error)}`, { passing: true });
  }
}

/** An error and what is behind it, for what matters is often said only by the innermost. */
function causes(error: unknown): string {
  const said: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause) {
    const code = "code" in at && typeof at.code === "string" ? ` (${at.code})` : "";
    said.push(at.message + code);
  }
  return said.length === 0 ? String(error) : said.join(" ");
}
