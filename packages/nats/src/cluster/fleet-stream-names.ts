import { BucketName } from "../bucket/bucket-name.ts";
import { ObjectLayout } from "../objects/object-layout.ts";
import { QueueLayout } from "../queue/queue-layout.ts";
import { bucketStream, indexBucketNames } from "../session-index/index-buckets.ts";

/**
 * Returns whether a stream is one of a fleet's: of its log, index, hosts, tokens, queue or objects. The names are compared
 * exactly, because the namespace of another fleet in the account may begin with this one.
 */
export function fleetStreamFilter(namespace: string): (name: string) => boolean {
  const log = `${namespace}-log-`;
  const index = indexBucketNames(namespace);
  const queue = new QueueLayout(namespace);
  const objects = new ObjectLayout(namespace);
  const others = new Set([
    ...[index.sessions, index.names].map(bucketStream),
    ...(["hosts", "tokens"] as const).map((kind) => new BucketName(namespace, kind).stream),
    queue.jobs,
    queue.outcomes,
    objects.objects,
    objects.chunks,
  ]);
  return (name) => (name.startsWith(log) && /^\d+$/.test(name.slice(log.length))) || others.has(name);
}
