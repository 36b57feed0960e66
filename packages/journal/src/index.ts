export {
  type EventBatch,
  type EventLog,
  type Fence,
  isClaim,
  lastSequenceOf,
  type LogChanges,
  type LoggedSession,
  type LogPosition,
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
export {
  compareRows,
  matchesRowQuery,
  mayReplaceRow,
  type NameHolder,
  type RowKey,
  type SessionIndex,
  type SessionPageOptions,
  type SessionRow,
  type SessionRowChange,
  type SessionRowCount,
  type SessionRowPage,
  type SessionRowQuery,
} from "./session-index.ts";
export { decodeCursor, encodeCursor } from "./sqlite-index/page-cursor.ts";
export { openSqliteIndex } from "./sqlite-index/open-sqlite-index.ts";
export type { SqliteIndexOptions } from "./sqlite-index/open-sqlite-index.ts";
export type { SqliteSessionIndex } from "./sqlite-index/sqlite-session-index.ts";
