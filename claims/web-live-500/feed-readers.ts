/** Programs that follow the overview: `node feed-readers.ts OPTIONS`. Prints a line when all have the whole state. */
import { RemoteFairlead } from "@fairlead/client";
import { nodeTransport } from "@fairlead/client/node";

export interface FeedReadersOptions {
  readonly socket: string;
  readonly count: number;
}

const { socket, count } = JSON.parse(process.argv[2] ?? "") as FeedReadersOptions;
let completeCount = 0;

async function follow(): Promise<void> {
  const fairlead = new RemoteFairlead(nodeTransport({ socket }));
  let isComplete = false;
  for await (const { caughtUp } of fairlead.overview()) {
    if (isComplete || !caughtUp) continue;
    isComplete = true;
    completeCount += 1;
    if (completeCount === count) console.log("complete");
  }
}

await Promise.all(Array.from({ length: count }, follow));
