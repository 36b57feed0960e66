export {
  type EventBatch,
  type EventLog,
  type Fence,
  lastSequenceOf,
  type LoggedSession,
  type LogReadOptions,
  type LogTail,
  sliceBatch,
} from "./event-log.ts";
export { assertFollowsTail } from "./assert-follows-tail.ts";
export type { Claim, Journal, Ownership } from "./ownership.ts";
export { openSqliteLog } from "./sqlite/open-sqlite-log.ts";
export type { SqliteLogOptions } from "./sqlite/open-sqlite-log.ts";
export type { Recovery } from "./sqlite/recovery.ts";
export type { SqliteLog } from "./sqlite/sqlite-log.ts";
