/** A command line that names something that does not exist, other than a session. */
export class NotFoundError extends Error {
  /** What to type instead, if known. */
  readonly suggestion: string | null;

  constructor(message: string, suggestion: string | null = null) {
    super(message);
    this.name = "NotFoundError";
    this.suggestion = suggestion;
  }
}
