import type { HostChange } from "@fairlead/engine";
import { BucketCopy } from "../bucket/bucket-copy.ts";
import type { Bucket } from "../bucket/bucket.ts";
import { readHostEntry } from "./host-entry.ts";

/** Yields all hosts of a bucket, then each change, until the signal aborts. */
export async function* watchHosts(bucket: Bucket, signal: AbortSignal): AsyncGenerator<HostChange> {
  if (signal.aborted) return;
  const owners = new Map<string, string>();
  const changedKeys = new Set<string>();
  let wake = Promise.withResolvers<void>();
  const onChange = (key: string): void => {
    changedKeys.add(key);
    wake.resolve();
  };
  const onAbort = (): void => wake.resolve();
  using copy = new BucketCopy(bucket, { onChange });
  using listeners = new DisposableStack();
  for (const one of [signal, bucket.closed]) {
    one.addEventListener("abort", onAbort);
    listeners.defer(() => one.removeEventListener("abort", onAbort));
  }
  // Throws if the servers cannot be reached at first. Later, the watch waits for them.
  let failure: unknown;
  void copy.confirm().catch((error: unknown) => {
    failure = error;
    wake.resolve();
  });
  while (!signal.aborted) {
    if (failure !== undefined) throw failure;
    if (bucket.closed.aborted) throw copy.createUnavailableError();
    const [key] = changedKeys;
    if (key === undefined) {
      await wake.promise;
      wake = Promise.withResolvers();
      continue;
    }
    changedKeys.delete(key);
    const entry = readHostEntry(copy.entries.get(key));
    const owner = owners.get(key);
    if (owner !== undefined && owner !== entry?.owner) {
      owners.delete(key);
      yield { owner, host: null };
    }
    if (entry === undefined) continue;
    owners.set(key, entry.owner);
    yield { owner: entry.owner, host: entry.host };
  }
}
