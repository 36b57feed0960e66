import type { ReactNode } from "react";
import { useOverview } from "../../app/fairlead-context.ts";
import { CompactCard } from "./compact-card.tsx";
import { InboxCard } from "./inbox-card.tsx";
import { NeedsAttention } from "./needs-attention.tsx";
import { NoticeSwitch } from "./notice-switch.tsx";
import { useInbox } from "./use-inbox.ts";

/** All requests that wait for a person, one of them open, and the sessions that need to be looked at. */
export function InboxView(): ReactNode {
  const { overview } = useOverview();
  const { entries, current, open } = useInbox();
  if (!overview.isComplete) return null;
  const waiting = entries.filter(({ isOpen }) => isOpen).length;
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto flex max-w-3xl flex-col gap-3 p-3.5">
        <h1 className="sr-only">Inbox</h1>
        <p className="sr-only" role="status">
          {waiting === 1 ? "1 request waits" : `${waiting} requests wait`}
        </p>
        {entries.length === 0 && <p className="py-8 text-center text-quiet">Nothing waits for you.</p>}
        {entries.map(({ key, view, isOpen }) =>
          key === current?.key ? (
            <InboxCard
              key={key}
              view={view}
              isOpen={isOpen}
              onLeave={() => open(entries.find((one) => one.isOpen)?.key ?? null)}
            />
          ) : (
            <CompactCard
              key={key}
              view={view}
              session={overview.sessions.get(view.session) ?? null}
              isOpen={isOpen}
              onOpen={() => open(key)}
            />
          ),
        )}
        <NeedsAttention />
        <NoticeSwitch />
      </div>
    </div>
  );
}
