import { daemonCommand } from "../daemon/daemon-command.ts";
import { exitCodes } from "../exit-codes.ts";
import { installService, uninstallService } from "../service/install-service.ts";
import { serviceFile } from "../service/service-file.ts";
import type { Surroundings } from "../surroundings.ts";
import type { UpOptions } from "./up.ts";

/** Has the system start the daemon with its user's sign-in, or no longer; or only shows how. */
export function upService(surroundings: Surroundings, { listen, print, uninstall, json }: UpOptions): number {
  const { screen } = surroundings;
  const service = serviceFile(daemonCommand(listen ?? null), surroundings);
  const { file, text } = service;
  if (print) {
    if (json) screen.json({ file, text });
    else screen.line(text.trimEnd());
    return exitCodes.done;
  }
  const next = uninstall ? service.stop : service.start;
  const wasThere = uninstall ? uninstallService(service) : installService(service);
  if (json) screen.json({ file, next });
  else if (!uninstall) screen.line(`Written: ${file}\nTo start it now and with every sign-in, type:\n  ${next}`);
  else if (wasThere) screen.line(`Gone: ${file}\nTo have the system let go of it now, type:\n  ${next}`);
  else screen.line(`There was no ${file}.`);
  return exitCodes.done;
}
