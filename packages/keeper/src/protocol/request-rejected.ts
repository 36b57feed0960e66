/** A keeper rejected a request. Nothing was recorded, so the id can be used again. */
export class RequestRejected extends Error {
  readonly id: string | null;
  /** Whether the same request may succeed later, for example once the disk is no longer full. */
  readonly retryable: boolean;

  constructor(id: string | null, message: string, retryable = false) {
    super(message);
    this.name = "RequestRejected";
    this.id = id;
    this.retryable = retryable;
  }
}
