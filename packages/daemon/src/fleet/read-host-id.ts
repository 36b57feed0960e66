import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { refuseDaemonDirectory } from "@fairlead/fleet";
import type { Home } from "@fairlead/runtime/home";

/**
 * Returns the id of the host that has a data directory. It is made once, and stays when the machine gets another name: the log
 * names the owner of each session by it. The caller must have the lock of the directory. Throws `conflict` for a directory that
 * a daemon without a fleet has used.
 */
export function readHostId(home: Home): string {
  refuseDaemonDirectory(home);
  const { hostIdFile } = home;
  const known = existsSync(hostIdFile) ? readFileSync(hostIdFile, "utf8").trim() : "";
  if (known !== "") return known;
  const name = hostname()
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, "-")
    .slice(0, 40);
  const id = `${name}-${randomBytes(4).toString("hex")}`;
  writeFileSync(`${hostIdFile}.new`, `${id}\n`, { mode: 0o600 });
  renameSync(`${hostIdFile}.new`, hostIdFile);
  return id;
}
