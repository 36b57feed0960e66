import { RemoteFairlead, type Transport } from "@fairlead/client";
import { nodeTransport } from "@fairlead/client/node";
import { FairleadError } from "@fairlead/contract";
import type { SessionFollower } from "./session-follower.ts";

/** For a control: a client that reconnects to a stream at a wrong position. */
export function createFaultyClient(socket: string, changeSequence: (after: number) => number): RemoteFairlead {
  const transport = nodeTransport({ socket });
  const changePath = (path: string): string =>
    path.replace(/after=([1-9]\d*)/, (_, after) => `after=${changeSequence(Number(after))}`);
  const faultyTransport: Transport = { ...transport, open: (path, signal) => transport.open(changePath(path), signal) };
  return new RemoteFairlead(faultyTransport, { retryTimeoutMs: 120_000 });
}

/** Whether the client detected missing or duplicate events. */
export async function isCaught({ finished }: SessionFollower): Promise<boolean> {
  return await finished.then(
    () => false,
    (error: unknown) => FairleadError.is(error, "corrupt"),
  );
}
