export { connect, openDaemonTransport } from "./connect.ts";
export { findOrStartDaemon } from "./find-or-start-daemon.ts";
export { daemonCommand } from "./daemon-command.ts";
export type { DaemonContext } from "./daemon-context.ts";
export { readDaemonInfo, readVersion, type DaemonInfo } from "./daemon-info.ts";
export { findDaemon, findUnreachableDaemon } from "./find-daemon.ts";
export { isResponsive } from "./is-responsive.ts";
export { killDaemon, stopDaemon, terminateDaemon } from "./stop-daemon.ts";
export { TrustedFiles, type TrustedFile } from "./trusted-files.ts";
