import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { daemonPlace } from "../daemon/daemon-place.ts";
import type { Surroundings } from "../surroundings.ts";
import { launchdLabel, launchdPlist } from "./launchd-plist.ts";
import type { Service } from "./service.ts";
import { systemdUnit } from "./systemd-unit.ts";

/** How the daemon is run, as the system's own keeper of services wants it written down. */
export interface ServiceFile {
  readonly file: string;
  readonly text: string;
  /** What the system makes of it beside it, once it is told to start it. */
  readonly traces: readonly string[];
  /** What has the system take notice of it: a thing that people should do with open eyes. */
  readonly start: string;
  /** What has the system let go of it, when it is gone. */
  readonly stop: string;
}

export function serviceFile(command: Service["command"], { home, environment }: Surroundings): ServiceFile {
  const { PATH = "" } = environment;
  const service = { command, environment: { FAIRLEAD_HOME: home, PATH }, log: daemonPlace(home).log };
  return process.platform === "darwin" ? forLaunchd(service) : forSystemd(service, environment);
}

// One that is up already would be in the way of the system's own; its sessions go on meanwhile.

function forSystemd(service: Service, environment: NodeJS.ProcessEnv): ServiceFile {
  const file = join(environment["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "systemd/user/fairlead.service");
  return {
    file,
    text: systemdUnit(service),
    traces: [join(dirname(file), "default.target.wants/fairlead.service")],
    start: "fairlead down && systemctl --user daemon-reload && systemctl --user enable --now fairlead",
    stop: "systemctl --user stop fairlead; systemctl --user daemon-reload",
  };
}

function forLaunchd(service: Service): ServiceFile {
  const file = join(homedir(), "Library/LaunchAgents", `${launchdLabel}.plist`);
  return {
    file,
    text: launchdPlist(service),
    traces: [],
    start: `fairlead down && launchctl bootstrap gui/$(id -u) ${file}`,
    stop: `launchctl bootout gui/$(id -u)/${launchdLabel}`,
  };
}
