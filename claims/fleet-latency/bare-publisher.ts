/**
 * Publishes times with the client alone, and waits for the acknowledgment of each before the next one on its subject:
 * `node bare-publisher.ts OPTIONS`. It begins with the first line of its input, and prints one at the end.
 */
import { once } from "node:events";
import { randomFillSync } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { connectToNats, type NatsConnectionOptions } from "@fairlead/nats";
import { BareClient } from "@fairlead/testing/nats/bare-client.ts";

export interface BarePublisherOptions {
  readonly connection: NatsConnectionOptions;
  readonly subjects: readonly string[];
  /** The number of messages for each subject, and the milliseconds between two. */
  readonly count: number;
  readonly every: number;
  /** The size of a message. The first 8 bytes are its time. */
  readonly bytes: number;
}

const { connection, subjects, count, every, bytes } = JSON.parse(process.argv[2] ?? "") as BarePublisherOptions;
const opened = await connectToNats(connection);
const client = new BareClient(opened);

async function publish(subject: string, beginAt: number): Promise<void> {
  let appended: Promise<number> = Promise.resolve(0);
  for (let index = 0, due = beginAt + Math.random() * every; index < count; index++, due += every) {
    await delay(Math.max(0, due - performance.now()));
    const payload = randomFillSync(Buffer.allocUnsafe(bytes));
    // The time is that of the beat, also if the message before is not acknowledged yet: an agent does not wait either.
    payload.writeDoubleBE(performance.timeOrigin + performance.now());
    appended = appended.then((expected) => client.append(subject, payload, { id: `${subject}.${index}`, expected }));
  }
  await appended;
}

await opened.flush();
console.log("ready");
await once(process.stdin, "data");
const beginAt = performance.now() + 200;
await Promise.all(subjects.map((subject) => publish(subject, beginAt)));
await opened.close();
console.log("done");
process.exit(0);
