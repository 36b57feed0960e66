import { APIConnectionError, APIError } from "openai";

/** Reports that the model did not answer. `status` is the HTTP status, if there was one. */
export class ModelFailed extends Error {
  readonly status: number | undefined;
  /** Whether a retry may succeed. */
  readonly isTransient: boolean;
  /** The time after which the service accepts a retry, in ms. */
  readonly retryAfter: number | undefined;

  constructor(message: string, details: Partial<Pick<ModelFailed, "status" | "isTransient" | "retryAfter">> = {}) {
    super(message);
    this.name = "ModelFailed";
    this.status = details.status;
    this.isTransient = details.isTransient ?? false;
    this.retryAfter = details.retryAfter;
  }

  /** Converts the error of a failed request. */
  static from(error: unknown): ModelFailed {
    if (error instanceof ModelFailed) return error;
    if (error instanceof APIConnectionError) {
      return new ModelFailed(`The model could not be reached: ${describeCauses(error)}`, { isTransient: true });
    }
    if (error instanceof APIError && typeof error.status === "number") {
      const status = error.status;
      const seconds = Number(error.headers?.get("retry-after") ?? Number.NaN);
      return new ModelFailed(`The model's service answered ${error.message}`, {
        status,
        isTransient: status === 408 || status === 409 || status === 429 || status >= 500,
        ...(Number.isFinite(seconds) && { retryAfter: seconds * 1000 }),
      });
    }
    return new ModelFailed(`The connection was lost in the middle of an answer: ${describeCauses(error)}`, {
      isTransient: true,
    });
  }
}

/** Joins the messages of an error and its causes. Often only the innermost names the problem. */
function describeCauses(error: unknown): string {
  const messages: string[] = [];
  for (let current = error; current instanceof Error; current = current.cause) {
    const code = "code" in current && typeof current.code === "string" ? ` (${current.code})` : "";
    messages.push(current.message + code);
  }
  return messages.length === 0 ? String(error) : messages.join(" ");
}
