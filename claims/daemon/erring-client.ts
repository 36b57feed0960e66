import { RemoteFairlead, type Wire } from "@fairlead/client";
import { nodeWire } from "@fairlead/client/node";
import { FairleadError } from "@fairlead/contract";
import type { Follower } from "./follower.ts";

/** For a control: a client that, when it comes back to a stream, asks for another number than it has got to. */
export function erringClient(socket: string, number: (after: number) => number): RemoteFairlead {
  const wire = nodeWire({ socket });
  const wrong = (path: string): string =>
    path.replace(/after=([1-9]\d*)/, (_, after) => `after=${number(Number(after))}`);
  const lying: Wire = { ...wire, open: (path, signal) => wire.open(wrong(path), signal) };
  return new RemoteFairlead(lying, { patience: 120_000 });
}

/** Whether its follower was stopped for having events too few or twice. */
export async function isCaught({ over }: Follower): Promise<boolean> {
  return await over.then(
    () => false,
    (error: unknown) => FairleadError.is(error, "corrupt"),
  );
}
