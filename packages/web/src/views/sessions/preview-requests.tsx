import type { DecisionView } from "@fairlead/api";
import { useRef, type ReactNode } from "react";
import { useOverview } from "../../app/fairlead-context.ts";
import { QueryProvider } from "../../app/query-provider.tsx";
import { decisionKey } from "../../state/overview.ts";
import { InboxCard } from "../inbox/inbox-card.tsx";

/** The requests of a session. One that is closed stays in its place with its outcome, so that no card moves to it. */
export function PreviewRequests({ session }: { readonly session: string }): ReactNode {
  const { overview } = useOverview();
  const seen = useRef(new Map<string, DecisionView>());
  for (const [key, view] of overview.decisions) if (view.session === session) seen.current.set(key, view);
  return (
    <QueryProvider>
      {[...seen.current].map(([key, view]) => (
        <InboxCard key={key} view={view} isOpen={overview.decisions.has(decisionKey(view))} isEmbedded />
      ))}
    </QueryProvider>
  );
}
