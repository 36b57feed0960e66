import type { SessionView } from "@fairlead/api";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useFairlead } from "../../app/fairlead-context.ts";
import { isOutlineBehind, type OutlineTurn } from "../../state/outline.ts";

export interface Turns {
  readonly turns: readonly OutlineTurn[];
  readonly hasEarlier: boolean;
  readonly readEarlier: () => void;
}

const pageSize = 100;
const maxTurns = 1000;
const maxRepeats = 5;
/** Half of the milliseconds until the first repetition. Each further one doubles them. */
const repeatDelay = 150;

/**
 * The newest turns of a session. They are read again when the session's summary says that something changed. `isReady` is
 * set once events are shown: the first outline of a long session costs the service a read of all its events.
 */
export function useTurns(session: string, view: SessionView | undefined, isReady: boolean): Turns {
  const fairlead = useFairlead();
  const [limit, setLimit] = useState(pageSize);
  const { data } = useQuery({
    queryKey: ["turns", session, limit, view?.turns, view?.state, view?.waitingFor.length, view?.cost],
    queryFn: () => fairlead.turns(session, { limit }),
    enabled: view !== undefined && isReady,
    placeholderData: keepPreviousData,
    // The summary may arrive before the service has added the same event to the turns. After some reads, it is not that.
    refetchInterval: ({ state: { data: read, dataUpdateCount } }) =>
      read !== undefined && view !== undefined && dataUpdateCount <= maxRepeats && isOutlineBehind(read.turns, view)
        ? repeatDelay * 2 ** dataUpdateCount
        : false,
  });
  return {
    turns: data?.turns ?? [],
    hasEarlier: (data?.next ?? null) !== null && limit < maxTurns,
    readEarlier: () => setLimit(maxTurns),
  };
}
