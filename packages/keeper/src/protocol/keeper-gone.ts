/** The connection to a keeper ended before the reply. The spool shows whether the request was executed. */
export class KeeperGone extends Error {
  constructor(message = "The keeper closed the connection before it replied.", options?: ErrorOptions) {
    super(message, options);
    this.name = "KeeperGone";
  }
}
