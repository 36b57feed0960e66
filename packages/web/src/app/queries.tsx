import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useEffect, type ReactNode } from "react";
import { useLive } from "./fairlead-context.ts";

/** A daemon on the same machine answers also while the browser says that it is offline. */
const networkMode = "always";
const queryClient = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: 2000, networkMode }, mutations: { networkMode } },
});

/** Lets the elements in it ask the service with `useQuery`. All of them share one cache. */
export function Queries({ children }: { readonly children: ReactNode }): ReactNode {
  const live = useLive();
  // What was asked before or during an outage has failed, or is old.
  useEffect(() => {
    let { reconnected } = live;
    return live.subscribe(() => {
      if (reconnected === live.reconnected) return;
      ({ reconnected } = live);
      void queryClient.invalidateQueries();
    });
  }, [live]);
  return <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>;
}
