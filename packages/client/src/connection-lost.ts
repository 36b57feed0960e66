/** The connection broke, or could not be made: nobody knows whether the service has heard. Worth another try. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}
