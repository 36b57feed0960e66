import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Observability } from "@fairlead/server";
import { pageFolder } from "@fairlead/web/page-folder";

/** Logs that the web page cannot be served. So it is in a clone that was not built; an installed package contains it. */
export function warnIfPageIsMissing(log: Pick<Observability["log"], "warn">): void {
  if (existsSync(join(pageFolder, "index.html"))) return;
  log.warn("the web page is not built: run npm run build in the clone");
}
