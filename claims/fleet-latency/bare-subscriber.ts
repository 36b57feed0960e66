/** Prints the ages of the times that the servers publish again once they are stored: `node bare-subscriber.ts OPTIONS`. */
import { once } from "node:events";
import { connectToNats, type NatsConnectionOptions } from "@fairlead/nats";

export interface BareSubscriberOptions {
  readonly connection: NatsConnectionOptions;
  readonly subject: string;
}

const { connection, subject } = JSON.parse(process.argv[2] ?? "") as BareSubscriberOptions;
const opened = await connectToNats(connection);
const ages: number[] = [];
opened.subscribe(subject, {
  callback: (_error, { data }) => {
    const now = performance.timeOrigin + performance.now();
    ages.push(now - Buffer.from(data.buffer, data.byteOffset).readDoubleBE());
  },
});
await opened.flush();
console.log("ready");
await once(process.stdin, "data");
await opened.drain();
console.log(JSON.stringify(ages));
process.exit(0);
