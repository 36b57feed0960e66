/** The connection to a keeper ended before it answered. Whether the frame was done, the spool knows. */
export class KeeperGone extends Error {
  constructor(message = "The keeper went away before it answered.", options?: ErrorOptions) {
    super(message, options);
    this.name = "KeeperGone";
  }
}
