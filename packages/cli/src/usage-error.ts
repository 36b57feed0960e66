/** A command line that is wrong. `suggestion` is what to type instead, if known. */
export class UsageError extends Error {
  readonly suggestion: string | null;

  constructor(message: string, suggestion: string | null = null, options?: ErrorOptions) {
    super(message, options);
    this.name = "UsageError";
    this.suggestion = suggestion;
  }
}
