export { cutFrame, lastOf } from "./cut-frame.ts";
export type { EventLog, Fence, Frame, LoggedSession, ReadOptions, Tail } from "./event-log.ts";
export { mustFollow } from "./must-follow.ts";
export type { Claim, Journal, Ownership } from "./ownership.ts";
export { openSqliteLog } from "./sqlite/open-sqlite-log.ts";
export type { SqliteLogOptions } from "./sqlite/open-sqlite-log.ts";
export type { Recovery } from "./sqlite/recovery.ts";
export type { SqliteLog } from "./sqlite/sqlite-log.ts";
