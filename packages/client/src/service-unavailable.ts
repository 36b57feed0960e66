import { ConnectionLost } from "./connection-lost.ts";

/**
 * The service answered that it is unavailable for now, for example because the servers of its fleet elect a leader. Retriable
 * for longer than a lost connection: the address is right, and the service comes back.
 */
export class ServiceUnavailable extends ConnectionLost {
  override readonly name = "ServiceUnavailable";
}
