export { adoptKeeper } from "./adopt-keeper.ts";
export { endKeeper } from "./end-keeper.ts";
export { findKeeper } from "./find-keeper.ts";
export { findKeeperProcess } from "./find-keeper-process.ts";
export { Keeper } from "./keeper.ts";
export type { KeeperOptions } from "./keeper-options.ts";
export { type KeeperClock, systemClock } from "./keeper-clock.ts";
export type { KeeperDeadlines, UnattendedLimits } from "./keeper-deadlines.ts";
export { keeperNodeFlags } from "./keeper-program.ts";
export type { LaunchedProcess, LaunchedProcessOptions, LaunchProcess } from "./process/launched-process.ts";
export {
  createSecretReference,
  hasSecretReference,
  resolveSecrets,
  type SecretValues,
} from "./process/resolve-secrets.ts";
export { findContainment, type Containment } from "./process/containment.ts";
export { followLinks, resolveLinks } from "./sandbox/follow-links.ts";
export { isInside } from "./sandbox/is-inside.ts";
export { noSandbox } from "./sandbox/no-sandbox.ts";
export { findSandboxProblem } from "./sandbox/find-sandbox-problem.ts";
export { findAgentProcess } from "./process/find-agent-process.ts";
export { readProcessIdentity, isProcessAlive, type ProcessIdentity } from "./process/process-identity.ts";
export { connectKeeper, type ConnectKeeperOptions, type KeeperConnection } from "./protocol/connect-keeper.ts";
export { KeeperGone } from "./protocol/keeper-gone.ts";
export { KeeperUnresponsive } from "./protocol/keeper-unresponsive.ts";
export type {
  KeeperAck,
  KeeperHello,
  KeeperReply,
  KeeperRequest,
  KeeperWake,
  RequestRejection,
} from "./protocol/messages.ts";
export { RequestRejected } from "./protocol/request-rejected.ts";
export { spoolFolder } from "./session-folder.ts";
export { type Disk, type DiskFile, realDisk, type WritableDiskFile } from "./spool/disk.ts";
export { decodeRecord, encodeRecord } from "./spool/spool-format.ts";
export { SpoolDamaged } from "./spool/spool-damaged.ts";
export { SpoolReader, type SpoolReaderOptions } from "./spool/spool-reader.ts";
export { SpoolTrimmed } from "./spool/spool-trimmed.ts";
export { createMovedSpool } from "./spool/create-moved-spool.ts";
export { type SpoolEntry, SpoolWriter, type SpoolWriterOptions } from "./spool/spool-writer.ts";
export type { Mask } from "./masks/masks.ts";
export { startKeeper, type StartKeeperOptions } from "./start-keeper.ts";
