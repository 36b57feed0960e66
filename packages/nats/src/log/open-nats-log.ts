import { FairleadError } from "@fairlead/contract";
import type { Journal } from "@fairlead/journal";
import { JetStreamApiCodes, JetStreamApiError, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { streamCountKey } from "../cluster/create-streams.ts";
import { connectToNats, type NatsConnectionOptions } from "../connect-to-nats.ts";
import { retryWhileElecting } from "../retry-while-electing.ts";
import { NatsLog } from "./nats-log.ts";
import { SessionWriter } from "./session-writer.ts";
import { createUnavailableError } from "./stored-message.ts";
import { StreamLayout } from "./stream-layout.ts";
import { StreamStore } from "./stream-store.ts";

export interface NatsLogOptions {
  /** A connection that the caller closes, or how to open one, which the log closes. */
  readonly connection: NatsConnection | NatsConnectionOptions;
  readonly namespace: string;
  /**
   * How long a call waits for servers that do not answer before it throws `unavailable`, in milliseconds. Default: 12
   * seconds, because electing a leader after the death of a server takes 5 to 10.
   */
  readonly timeout?: number;
  /** Called when the servers refused a message of an append, or did not answer. Must not throw. */
  readonly onRefused?: () => void;
}

const defaultTimeout = 12_000;

/** Opens the journal in the streams of a namespace. `createFleetStreams` must have created them. */
export async function openNatsLog(options: NatsLogOptions): Promise<Journal> {
  const { connection, namespace, timeout = defaultTimeout, onRefused } = options;
  await using stack = new AsyncDisposableStack();
  const connected =
    "servers" in connection
      ? stack.adopt(await connectToNats({ name: "fairlead log", ...connection }), (own) => own.close())
      : connection;
  const layout = new StreamLayout(namespace, await readStreamCount(connected, namespace));
  const closing = new AbortController();
  void connected.closed().then(() => closing.abort());
  const store = new StreamStore({
    connection: connected,
    layout,
    closed: closing.signal,
    timeout,
    ...(onRefused && { onRefused }),
  });
  const resources = stack.move();
  return new NatsLog({
    store,
    writer: new SessionWriter(store),
    close: async () => {
      closing.abort();
      await resources.disposeAsync();
    },
  });
}

/** Returns the number of the log's streams. All processes must agree on it, so the streams themselves have it. */
async function readStreamCount(connection: NatsConnection, namespace: string): Promise<number> {
  const name = new StreamLayout(namespace, 1).streamName(0);
  try {
    const management = await jetstreamManager(connection, { checkAPI: false });
    const { config } = await retryWhileElecting(() => management.streams.info(name));
    const count = config.metadata?.[streamCountKey];
    if (count !== undefined) return Number(count);
    const advice = "Use another namespace, or run `fairlead fleet init`, which says what differs.";
    throw new FairleadError("invalid-settings", `The stream ${name} was not created for a log of Fairlead. ${advice}`);
  } catch (error) {
    if (error instanceof FairleadError) throw error;
    if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound) {
      const advice = "Create the streams with `fairlead fleet init`.";
      throw new FairleadError("invalid-settings", `The servers have no log for the namespace ${namespace}. ${advice}`);
    }
    throw createUnavailableError("open", error);
  }
}
