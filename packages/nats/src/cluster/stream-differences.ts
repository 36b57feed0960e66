import type { StreamConfig } from "@nats-io/jetstream";
import { smallestPayload } from "./check-servers.ts";

/** Settings that make a server drop, change or hide frames, with the value that a stream has if they are not set. */
const safeDefaults: Readonly<Record<string, unknown>> = {
  max_age: 0,
  max_msgs: -1,
  max_msgs_per_subject: -1,
  discard_new_per_subject: false,
  sealed: false,
  no_ack: false,
  allow_rollup_hdrs: false,
  allow_msg_ttl: false,
  allow_msg_counter: false,
  allow_msg_schedules: false,
  persist_mode: "default",
  mirror: null,
  sources: [],
  subject_transform: null,
};

/** Settings whose value must be the wanted one. */
const comparedKeys = [
  "subjects",
  "storage",
  "retention",
  "discard",
  "num_replicas",
  "allow_direct",
  "deny_delete",
  "deny_purge",
] as const;

/**
 * Names the settings of a stream that differ from the wanted ones and matter: each with the value found and the one wanted.
 * An operator may limit `max_bytes`: with `discard: new`, which is compared, a full stream refuses frames and drops none.
 */
export function findStreamDifferences(
  existing: Partial<StreamConfig>,
  wanted: Partial<StreamConfig>,
  metadataKeys: readonly string[],
): string[] {
  const found = existing as Readonly<Record<string, unknown>>;
  const differences: string[] = [];
  const compare = (key: string, value: unknown, expected: unknown): void => {
    if (show(value) !== show(expected)) differences.push(`${key} ${show(value)} instead of ${show(expected)}`);
  };
  for (const key of metadataKeys) compare(`metadata.${key}`, existing.metadata?.[key], wanted.metadata?.[key]);
  for (const key of comparedKeys) compare(key, found[key], wanted[key]);
  compare("republish.src", existing.republish?.src, wanted.republish?.src);
  compare("republish.dest", existing.republish?.dest, wanted.republish?.dest);
  compare("republish.headers_only", existing.republish?.headers_only === true, false);
  for (const [key, value] of Object.entries(safeDefaults)) compare(key, orDefault(found[key], value), value);
  const size = orDefault(existing.max_msg_size, -1);
  if (typeof size === "number" && size !== -1 && size < smallestPayload) compare("max_msg_size", size, -1);
  return differences;
}

/** Servers leave settings out, or send 0 for "no limit". */
function orDefault(value: unknown, whenMissing: unknown): unknown {
  if (value === undefined || value === null || value === "") return whenMissing;
  return value === 0 && whenMissing === -1 ? -1 : value;
}

function show(value: unknown): string {
  return value === undefined ? "(not set)" : typeof value === "string" ? value : JSON.stringify(value);
}
