import { connectToNats, createFleetStreams, type NatsConnectionOptions } from "@fairlead/nats";
import { ChildProgram } from "../../measure/child-program.ts";
import type { BarePublisherOptions } from "./bare-publisher.ts";
import type { BareSubscriberOptions } from "./bare-subscriber.ts";

const streams = 16;
const nodeFlags = ["--conditions=built"];

type FloorLoad = Pick<BarePublisherOptions, "count" | "every" | "bytes"> & { readonly subjects: number };

/**
 * Measures the milliseconds from a publisher to a subscriber, both with the client alone and each in a process of its own, over
 * streams with the settings of the log. Throws if a message does not arrive.
 */
export async function measureFloor(
  connection: NatsConnectionOptions,
  namespace: string,
  { subjects: subjectCount, ...load }: FloorLoad,
): Promise<readonly number[]> {
  const opened = await connectToNats(connection);
  await createFleetStreams(opened, { namespace, replicas: 3, streams });
  await opened.close();
  const subscribing: BareSubscriberOptions = { connection, subject: `${namespace}.live.*` };
  await using subscriber = new ChildProgram(new URL("bare-subscriber.ts", import.meta.url), subscribing, { nodeFlags });
  const subjects = Array.from({ length: subjectCount }, (_, index) => `${namespace}.log.${index % streams}.s${index}`);
  const publishing: BarePublisherOptions = { connection, subjects, ...load };
  await using publisher = new ChildProgram(new URL("bare-publisher.ts", import.meta.url), publishing, { nodeFlags });
  for (const program of [subscriber, publisher]) await program.readLine();
  publisher.writeLine("go");
  await publisher.readLine();
  subscriber.writeLine("stop");
  const ages = await subscriber.readJson<number[]>();
  if (ages.length !== subjectCount * load.count) throw new Error(`Only ${ages.length} bare messages arrived.`);
  return ages;
}
