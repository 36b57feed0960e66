import type { SessionView } from "@fairlead/api";
import { useCallback, useState } from "react";
import { useFairlead } from "../../app/fairlead-context.ts";
import { readOlderSessions } from "../../wire/read-older-sessions.ts";

export interface OlderSessions {
  readonly sessions: readonly SessionView[];
  /** Loads one more page. Undefined while one is loaded, and when there are no more. */
  readonly loadMore?: () => void;
}

/** The ended sessions that the overview leaves out, page by page as a person asks for them. */
export function useOlderSessions(): OlderSessions {
  const fairlead = useFairlead();
  const [sessions, setSessions] = useState<readonly SessionView[]>([]);
  const [cursor, setCursor] = useState<string | null>(null);
  const [state, setState] = useState<"more" | "loading" | "all">("more");
  const loadMore = useCallback(() => {
    setState("loading");
    readOlderSessions(fairlead, cursor).then(
      (page) => {
        setSessions((before) => [...before, ...page.sessions]);
        setCursor(page.next);
        setState(page.next === null ? "all" : "more");
      },
      () => setState("more"),
    );
  }, [fairlead, cursor]);
  return state === "more" ? { sessions, loadMore } : { sessions };
}
