import { useState } from "react";
import { useOverview } from "../../app/fairlead-context.ts";
import { type InboxEntry, leaveClosed, listWaiting, updateInbox } from "../../state/inbox/inbox-list.ts";

export interface Inbox {
  readonly entries: readonly InboxEntry[];
  /** The card that is open; null if there is none. */
  readonly current: InboxEntry | null;
  /** Opens a card, and leaves those that are closed. */
  readonly open: (key: string | null) => void;
}

/** Keeps the cards of the inbox at their places while requests come and go. */
export function useInbox(): Inbox {
  const { overview } = useOverview();
  const [list, setList] = useState<readonly InboxEntry[]>([]);
  const [opened, setOpened] = useState<string | null>(null);
  const entries = updateInbox(list, listWaiting(overview.decisions.values(), overview.sessions));
  // React renders again at once, before anything is shown: the list depends on what was shown before.
  if (entries !== list) setList(entries);
  const current = entries.find(({ key }) => key === opened) ?? entries[0] ?? null;
  // The first card stays open if another one is put before it.
  if (current !== null && current.key !== opened) setOpened(current.key);
  const open = (key: string | null): void => {
    setList(leaveClosed(entries).concat(entries.filter((one) => one.key === key && !one.isOpen)));
    setOpened(key);
  };
  return { entries, current, open };
}
