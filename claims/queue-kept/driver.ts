/** A service that executes commands from its standard input, so that it can be killed: `node driver.ts OPTIONS`. */
import { createInterface } from "node:readline";
import type { StartRequest } from "@fairlead/api";
import { adapters } from "@fairlead/adapters";
import { FairleadError } from "@fairlead/contract";
import { Home } from "@fairlead/runtime";
import { LocalFairlead } from "@fairlead/service";
import { adaptersWithOwnQueues, handOverAtOnce } from "./earlier-queues.ts";

export interface QueueDriverOptions {
  readonly home: string;
  /** For the control: messages are queued as they were before the reducer kept the queue. */
  readonly queuesInDialects?: boolean;
}

/** One command. A command that is sent again after a kill has the same key. */
export interface DriverCommand {
  readonly do: "start" | "send" | "interrupt" | "pause" | "resume" | "stop" | "view";
  readonly key: string;
  readonly session?: string;
  readonly text?: string;
  readonly start?: StartRequest;
}

/** The result, or the code of the error. */
export type DriverReply = { readonly result: unknown } | { readonly error: string };

const { home, queuesInDialects = false } = JSON.parse(process.argv[2] ?? "") as QueueDriverOptions;
if (queuesInDialects) handOverAtOnce();
const knownAdapters = queuesInDialects ? adaptersWithOwnQueues(adapters) : adapters;
const fairlead = await LocalFairlead.open({ home: new Home(home), adapters: knownAdapters, environment: process.env });
await fairlead.recovery;
for await (const line of createInterface({ input: process.stdin })) {
  const reply: DriverReply = await execute(JSON.parse(line) as DriverCommand).then(
    (result) => ({ result: result ?? null }),
    (error: unknown) => ({ error: FairleadError.isInstance(error) ? error.code : String(error) }),
  );
  console.log(JSON.stringify(reply));
}

async function execute({ do: name, key, session = "", text = "", start }: DriverCommand): Promise<unknown> {
  switch (name) {
    case "start":
      if (start === undefined) throw new TypeError("A start needs an agent.");
      return await fairlead.start(start, { key });
    case "send":
      return await fairlead.send(session, text, { key });
    case "interrupt":
      return await fairlead.interrupt(session, { key });
    case "pause":
      return await fairlead.pause(session, { key });
    case "resume":
      return await fairlead.resume(session, {}, { key });
    case "stop":
      return await fairlead.stop(session, { key });
    case "view":
      return await fairlead.session(session);
    default:
      return name satisfies never;
  }
}
