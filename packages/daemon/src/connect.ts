import { RemoteFairlead, type Transport } from "@fairlead/client";
import { nodeTransport, type NodeAddress } from "@fairlead/client/node";
import { Home } from "@fairlead/runtime/home";
import { findOrStartDaemon } from "./find-or-start-daemon.ts";
import type { DaemonContext } from "./daemon-context.ts";
import { readDaemonInfo } from "./daemon-info.ts";
import { findDaemon } from "./find-daemon.ts";
import { revivingTransport } from "./reviving-transport.ts";

/**
 * Connects to the daemon of a data directory, and starts it if none runs. A daemon that was killed is started again; one
 * that was stopped is not.
 */
export async function connect(context: Partial<DaemonContext> = {}): Promise<RemoteFairlead> {
  const environment = context.environment ?? process.env;
  return new RemoteFairlead(await openDaemonTransport({ home: context.home ?? Home.from(environment), environment }));
}

/** The transport behind `connect`, for callers that extend the client, or give up scopes. */
export async function openDaemonTransport(
  context: DaemonContext,
  options: Pick<NodeAddress, "scopes"> = {},
): Promise<Transport> {
  const { home } = context;
  await findOrStartDaemon(context);
  const revive = async (): Promise<void> => {
    if ((await findDaemon(home)) !== null) return;
    // A daemon that was stopped removes its info file at its exit, so the file is left only by one that was killed.
    const info = readDaemonInfo(home.daemonInfoFile);
    if (info !== null && info.stopping !== true) await findOrStartDaemon(context);
  };
  return revivingTransport(nodeTransport({ socket: home.daemonSocket, ...options }), revive);
}
