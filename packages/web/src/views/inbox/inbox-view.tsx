import { type ReactNode, useEffect, useMemo, useRef } from "react";
import { useOverview } from "../../app/fairlead-context.ts";
import { useKeys } from "../../app/keys.ts";
import { nextOpen, stepInInbox } from "../../state/inbox/inbox-list.ts";
import { CompactCard } from "./compact-card.tsx";
import { InboxCard } from "./inbox-card.tsx";
import { NeedsAttention } from "./needs-attention.tsx";
import { NoticeSwitch } from "./notice-switch.tsx";
import { useInbox } from "./use-inbox.ts";

/** All requests that wait for a person, one of them open, and the sessions that need to be looked at. */
export function InboxView(): ReactNode {
  const { overview } = useOverview();
  const { entries, current, open } = useInbox();
  const list = useRef<HTMLDivElement>(null);
  const openedByKey = useRef<string | null>(null);
  const shown = current?.key ?? null;
  const isClosed = current?.isOpen === false;
  useKeys(
    useMemo(() => {
      const openByKey = (key: string | null): void => {
        // A closed card that is opened again would change its place.
        if (key === shown) return;
        openedByKey.current = key;
        open(key);
      };
      return {
        j: () => openByKey(stepInInbox(entries, shown, 1)),
        k: () => openByKey(stepInInbox(entries, shown, -1)),
        Enter: () => isClosed && openByKey(nextOpen(entries, shown)),
      };
    }, [entries, shown, isClosed, open]),
  );
  useEffect(() => {
    // A card that was opened by a key may be out of sight. One that was opened by a click stays under the pointer.
    if (shown !== null && openedByKey.current === shown)
      list.current?.querySelector("article")?.scrollIntoView({ block: "nearest" });
    openedByKey.current = null;
  }, [shown]);
  if (!overview.isComplete) return null;
  const waiting = entries.filter(({ isOpen }) => isOpen).length;
  return (
    <div className="h-full overflow-y-auto">
      <div ref={list} className="mx-auto flex max-w-3xl flex-col gap-3 p-3.5">
        <h1 className="sr-only">Inbox</h1>
        <p className="sr-only" role="status">
          {waiting === 1 ? "1 request waits" : `${waiting} requests wait`}
        </p>
        {entries.length === 0 && <p className="py-8 text-center text-quiet">Nothing waits for you.</p>}
        {entries.map(({ key, view, isOpen }) =>
          key === current?.key ? (
            <InboxCard key={key} view={view} isOpen={isOpen} onLeave={() => open(nextOpen(entries, key))} />
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
