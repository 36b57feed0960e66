import type { Fairlead, Scope } from "@fairlead/api";
import { createContext, use, useSyncExternalStore } from "react";
import type { LiveOverview, LiveState } from "../wire/live-overview.ts";

/** What the token of the page may do. */
export interface PageGrant {
  readonly label: string;
  readonly scopes: readonly Scope[];
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
