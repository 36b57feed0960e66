import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { daemonCommand } from "@fairlead/daemon";
import { cliExitCodes } from "../../exit-codes.ts";
import { buildServiceFile, type ServiceFile } from "../../system-service/service-file.ts";
import type { CliContext } from "../../cli-context.ts";
import type { UpOptions } from "./up.ts";

/** Installs or uninstalls the daemon as a service of the user's login session, or prints the service file. */
export function manageSystemService(
  context: CliContext,
  { listen, origin, print, uninstall, json }: UpOptions,
): number {
  const { screen } = context;
  const service = buildServiceFile(daemonCommand({ listen: listen ?? null, origins: origin ?? [] }), context);
  const { file, text } = service;
  if (print) {
    if (json) screen.json({ file, text });
    else screen.line(text.trimEnd());
    return cliExitCodes.success;
  }
  const next = uninstall ? service.stopCommand : service.startCommand;
  const existed = uninstall ? uninstallService(service) : installService(service);
  if (json) screen.json({ file, next });
  else if (!uninstall) screen.line(`Written: ${file}\nTo start the daemon now and at every login, type:\n  ${next}`);
  else if (existed) screen.line(`Removed: ${file}\nTo stop the running service, type:\n  ${next}`);
  else screen.line(`${file} does not exist.`);
  return cliExitCodes.success;
}

/** Writes the service file. Starts nothing. */
function installService({ file, text }: ServiceFile): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o600 });
}

/** Removes the service file and the files that the system derived from it. Returns whether it existed. Stops nothing. */
function uninstallService({ file, relatedFiles }: ServiceFile): boolean {
  const existed = existsSync(file);
  for (const one of [file, ...relatedFiles]) rmSync(one, { force: true });
  return existed;
}
