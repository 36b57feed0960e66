export { FleetFairlead, type FleetFairleadOptions } from "./gateway/fleet-fairlead.ts";
export type { DrainReport } from "./host/departures.ts";
export { FleetHost, type FleetHostOptions } from "./host/fleet-host.ts";
export { drainMethod, hostAddress, moveMethod, undoDrainMethod } from "./host-address.ts";
export { refuseDaemonDirectory } from "./host/refuse-daemon-directory.ts";
export { defaultPool } from "./start-job.ts";
