import type { ObjectStore } from "@fairlead/engine";
import { createObjectStreams, NatsObjectStore } from "@fairlead/nats";
import { NatsLogBench } from "./nats-log-bench.ts";

/** Opens an empty object store on a NATS server of its own. Disposing ends the server. */
export async function openNatsObjects(): Promise<{ readonly objects: ObjectStore } & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const bench = stack.use(await NatsLogBench.start(1));
  const connection = await bench.connect();
  await createObjectStreams(connection, { namespace: "objects", replicas: 1 });
  const objects = stack.use(new NatsObjectStore({ connection, namespace: "objects" }));
  const opened = stack.move();
  return { objects, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
