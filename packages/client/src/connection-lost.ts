/** The connection failed or could not be opened. The service may or may not have received the request. Retriable. */
export class ConnectionLost extends Error {
  override readonly name: string = "ConnectionLost";
}
