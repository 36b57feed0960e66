/** The connection to a keeper ended before the reply. The spool shows whether the request was executed. */
export class KeeperGone extends Error {
  /** Whether no keeper can start for this session, because its spool is damaged. */
  readonly isFinal: boolean;

  constructor(
    message = "The keeper closed the connection before it replied.",
    { isFinal = false, ...options }: ErrorOptions & { readonly isFinal?: boolean } = {},
  ) {
    super(message, options);
    this.name = "KeeperGone";
    this.isFinal = isFinal;
  }
}
