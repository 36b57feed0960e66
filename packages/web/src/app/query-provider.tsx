import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { onBeforeRetry } from "./boundary/before-retry.ts";
import { useOnReconnect } from "./fairlead-context.ts";

/** A daemon on the same machine answers also while the browser says that it is offline. */
const networkMode = "always";
const queryClient = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: 2000, networkMode }, mutations: { networkMode } },
});

// A view that failed may have failed because of an answer that it cannot show.
onBeforeRetry(() => queryClient.removeQueries({ type: "inactive" }));

/** Lets the elements in it ask the service with `useQuery`. All of them share one cache. */
export function QueryProvider({ children }: { readonly children: ReactNode }): ReactNode {
  // What was asked before or during an outage has failed, or is old.
  useOnReconnect(() => void queryClient.invalidateQueries());
  return <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>;
}
