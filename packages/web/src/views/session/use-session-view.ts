import type { SessionView } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useLocation } from "wouter";
import { useFairlead, useOverview } from "../../app/fairlead-context.ts";
import type { ReadFailure } from "../../wire/retries.ts";

export interface ShownSession {
  /** The newest summary; undefined before there is one. */
  readonly view: SessionView | undefined;
  /** Set if the session no longer exists. The summary is then what was known of it. */
  readonly gone: ReadFailure | null;
  /** Why there is no summary. */
  readonly error: unknown;
}

/** The summary of a session: from the overview, or asked for if the overview does not have it, such as an old one. */
export function useSessionView(session: string): ShownSession {
  const fairlead = useFairlead();
  const { overview } = useOverview();
  const [, navigate] = useLocation();
  const listed = overview.sessions.get(session);
  const { data, error } = useQuery({
    queryKey: ["session", session],
    queryFn: () => fairlead.session(session),
    enabled: listed === undefined,
    // A session that has just left the overview may be gone.
    staleTime: 0,
  });
  const id = data?.session;
  // The overview knows sessions by their ids. The address may have a name, or the beginning of an id.
  useEffect(() => {
    if (id === undefined || id === session) return;
    const { pathname, search, hash } = location;
    navigate(`${pathname.replace(`/s/${session}`, `/s/${id}`)}${search}${hash}`, { replace: true });
  }, [id, session, navigate]);
  const newest = useRef<SessionView>(undefined);
  newest.current = listed ?? data ?? newest.current;
  const isGone = listed === undefined && FairleadError.is(error, "session-not-found");
  return { view: newest.current, gone: isGone ? { error, isFinal: true } : null, error };
}
