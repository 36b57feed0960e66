import type { Fairlead } from "@fairlead/api";
import type { AccessDecision } from "../../packages/server/src/http/access/guard.ts";
import { createApp } from "../../packages/server/src/http/app.ts";
import { defaultLimits } from "../../packages/server/src/http/limits.ts";
import { Listener } from "../../packages/server/src/http/listener.ts";
import { PageSource } from "../../packages/server/src/http/page/page-source.ts";
import { pageFolder } from "./guarded-page.ts";

/** Serves the interface and the page without a guard. For controls only. */
export function openUnguardedService(fairlead: Fairlead): Promise<Listener> {
  const authorize = (): AccessDecision => ({
    grant: { id: null, label: "anybody", scopes: ["read", "drive", "approve", "admin"] },
  });
  const page = { source: new PageSource(pageFolder), refuse: () => null };
  const shutdownSignal = new AbortController().signal;
  const app = createApp({ fairlead, authorize, page, limits: defaultLimits, shutdownSignal });
  return Listener.open(app, defaultLimits.connections, { host: "127.0.0.1", port: 0 });
}
