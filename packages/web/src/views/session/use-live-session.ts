import { useEffect, useState, useSyncExternalStore } from "react";
import { useFairlead, useOnReconnect } from "../../app/fairlead-context.ts";
import { LiveSession, type LiveSessionState } from "../../wire/live-session.ts";

/** Follows a session while it is shown, from the event in the address or from its end. */
export function useLiveSession(session: string): readonly [LiveSession, LiveSessionState] {
  const fairlead = useFairlead();
  const [live] = useState(() => new LiveSession(fairlead, session));
  useEffect(() => {
    const leaving = new AbortController();
    void live.run(readNumber(location.hash), leaving.signal);
    const onHash = (): void => {
      const number = readNumber(location.hash);
      if (number !== null) void live.jumpTo(number);
    };
    addEventListener("hashchange", onHash, { signal: leaving.signal });
    return () => leaving.abort();
  }, [live]);
  useOnReconnect(() => void live.continueAfterOutage());
  return [live, useSyncExternalStore(live.subscribe, live.getSnapshot)];
}

/** Reads the number of an event from the end of an address: `#4711`. */
export function readNumber(hash: string): number | null {
  return /^#\d{1,15}$/.test(hash) ? Number(hash.slice(1)) : null;
}
