import { useState, type ReactNode } from "react";
import { useOverview } from "../../app/fairlead-context.ts";
import { QueryProvider } from "../../app/query-provider.tsx";
import { type InboxEntry, listWaiting, updatePreview } from "../../state/inbox/inbox-list.ts";
import { InboxCard } from "../inbox/inbox-card.tsx";

/** The requests of a session. The last one that was closed stays in its place with its outcome, so that no card moves to it. */
export function PreviewRequests({ session }: { readonly session: string }): ReactNode {
  const { overview } = useOverview();
  const [list, setList] = useState<readonly InboxEntry[]>([]);
  const open = listWaiting(overview.decisions.values(), overview.sessions).filter((view) => view.session === session);
  const entries = updatePreview(list, open);
  // React renders again at once, before anything is shown: the list depends on what was shown before.
  if (entries !== list) setList(entries);
  return (
    <QueryProvider>
      {entries.map(({ key, view, isOpen }) => (
        <InboxCard key={key} view={view} isOpen={isOpen} isEmbedded />
      ))}
    </QueryProvider>
  );
}
