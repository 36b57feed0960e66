import type { Fairlead, Scope } from "@fairlead/api";
import { createContext, use, useEffect, useRef, useSyncExternalStore } from "react";
import type { LiveOverview, LiveState } from "../wire/live-overview.ts";

/** What the token of the page may do. */
export interface PageGrant {
  readonly label: string;
  readonly scopes: readonly Scope[];
  /** Whether the service has said so. Until then there are no scopes. */
  readonly isKnown: boolean;
}

export interface PageServices {
  readonly fairlead: Fairlead;
  readonly withoutRetries: Fairlead;
  readonly grant: PageGrant;
  readonly live: LiveOverview;
}

export const FairleadContext = createContext<PageServices | null>(null);

function useServices(): PageServices {
  const services = use(FairleadContext);
  if (services === null) throw new Error("This element is outside of the signed-in page.");
  return services;
}

export function useFairlead(): Fairlead {
  return useServices().fairlead;
}

/** Returns a client that reports a lost connection at once, for what must not continue over a gap, such as a terminal. */
export function useFairleadWithoutRetries(): Fairlead {
  return useServices().withoutRetries;
}

export function useGrant(): PageGrant {
  return useServices().grant;
}

/** Whether the token has a scope. A control without its scope is not shown, because its use would be refused. */
export function useScope(scope: Scope): boolean {
  return useGrant().scopes.includes(scope);
}

/** Returns the connection of the page, for what must be sent or opened again after an outage. */
export function useLive(): LiveOverview {
  return useServices().live;
}

/** Returns the sessions and decisions, and how the connection is. Changes at most four times a second. */
export function useOverview(): LiveState {
  const { live } = useServices();
  return useSyncExternalStore(live.subscribe, live.getSnapshot);
}

/** Calls the newest function each time the service is reached again over another connection. Null: does nothing. */
export function useOnReconnect(onReconnect: (() => void) | null): void {
  const live = useLive();
  const newest = useRef(onReconnect);
  useEffect(() => void (newest.current = onReconnect));
  useEffect(() => {
    let { reconnected } = live;
    return live.subscribe(() => {
      if (reconnected === live.reconnected) return;
      ({ reconnected } = live);
      newest.current?.();
    });
  }, [live]);
}
