import { FairleadError } from "@fairlead/contract";
import { connect, credsAuthenticator, type NatsConnection, type TlsOptions } from "@nats-io/transport-node";

export interface NatsConnectionOptions {
  /** Addresses as `host:port`. The client connects to one of them, and to another one if it fails. */
  readonly servers: readonly string[];
  /** The content of a credentials file. */
  readonly credentials?: Uint8Array;
  /** A name and a password, for servers without credentials files. */
  readonly user?: string;
  readonly password?: string;
  readonly tls?: TlsOptions;
  /** Shown in the servers' list of connections. */
  readonly name?: string;
  /** Whether the client connects again, to any of the servers, if the connection breaks. Default: yes. */
  readonly reconnects?: boolean;
}

/** Connects to the servers of a fleet. Unless told otherwise, the connection reconnects without a limit until it is closed. */
export async function connectToNats(options: NatsConnectionOptions): Promise<NatsConnection> {
  const { servers, credentials, user, password, tls, name, reconnects = true } = options;
  try {
    return await connect({
      servers: [...servers],
      reconnect: reconnects,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      // A server that is paused or cut off is noticed after at most 10 seconds, and the client connects to another one.
      pingInterval: 5_000,
      maxPingOut: 2,
      timeout: 5_000,
      // Without it, the client records the stack of each request, which costs a twelfth of what a host does for an event.
      noAsyncTraces: true,
      ...(name !== undefined && { name }),
      ...(tls !== undefined && { tls }),
      ...(credentials !== undefined && { authenticator: credsAuthenticator(credentials) }),
      ...(user !== undefined && { user }),
      ...(password !== undefined && { pass: password }),
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `The NATS servers ${servers.join(", ")} cannot be reached: ${reason}.`;
    throw new FairleadError("unavailable", `${message} Check that they run and that the credentials are right.`, {
      cause,
    });
  }
}
