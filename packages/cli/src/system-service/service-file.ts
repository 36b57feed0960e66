import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { CliContext } from "../cli-context.ts";
import { launchdLabel, renderLaunchdPlist } from "./launchd-plist.ts";
import type { SystemServiceSpec } from "./system-service-spec.ts";
import { renderSystemdUnit } from "./systemd-unit.ts";

/** A file that makes the system's service manager run the daemon. */
export interface ServiceFile {
  readonly file: string;
  readonly text: string;
  /** The files that the service manager derives from it when the service is enabled. */
  readonly relatedFiles: readonly string[];
  /** The command that enables the service. Printed and not run: a person decides about it. */
  readonly startCommand: string;
  /** The command that stops the service after its file was removed. */
  readonly stopCommand: string;
}

export function buildServiceFile(
  command: SystemServiceSpec["command"],
  { home, environment }: CliContext,
): ServiceFile {
  const { PATH = "" } = environment;
  const service = { command, environment: { FAIRLEAD_HOME: home.folder, PATH }, log: home.daemonLogFile };
  return process.platform === "darwin" ? buildLaunchdFile(service) : buildSystemdFile(service, environment);
}

// The start commands stop a running daemon first: it would hold the lock. Its sessions keep running.

function buildSystemdFile(service: SystemServiceSpec, environment: NodeJS.ProcessEnv): ServiceFile {
  const file = join(environment["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "systemd/user/fairlead.service");
  return {
    file,
    text: renderSystemdUnit(service),
    relatedFiles: [join(dirname(file), "default.target.wants/fairlead.service")],
    startCommand: "fairlead down && systemctl --user daemon-reload && systemctl --user enable --now fairlead",
    stopCommand: "systemctl --user stop fairlead; systemctl --user daemon-reload",
  };
}

function buildLaunchdFile(service: SystemServiceSpec): ServiceFile {
  const file = join(homedir(), "Library/LaunchAgents", `${launchdLabel}.plist`);
  return {
    file,
    text: renderLaunchdPlist(service),
    relatedFiles: [],
    startCommand: `fairlead down && launchctl bootstrap gui/$(id -u) ${file}`,
    stopCommand: `launchctl bootout gui/$(id -u)/${launchdLabel}`,
  };
}
