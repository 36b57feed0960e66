import { useEffect, useState } from "react";
import { useFairlead } from "../../app/fairlead-context.ts";
import {
  createReplay,
  missingReplayPages,
  play,
  type Replay,
  type ReplaySpeed,
  replayPageSize,
  seek,
  withReplayPage,
} from "../../state/replay.ts";
import { readJournalPage } from "../../wire/read-journal-page.ts";

/** Milliseconds between two steps of the replay. */
const tick = 100;

/** Milliseconds that one step plays at most: what a hidden page or a machine that slept missed is not skipped. */
const longestStep = 1000;

interface UsedReplay {
  readonly replay: Replay;
  readonly isPlaying: boolean;
  readonly error: unknown;
  readonly setPlaying: (isPlaying: boolean) => void;
  readonly moveTo: (position: number) => void;
}

/** Plays a session, and reads only the pages near its moment. */
export function useReplay(session: string, total: number, speed: ReplaySpeed): UsedReplay {
  const fairlead = useFairlead();
  const [replay, setReplay] = useState(() => createReplay(total));
  const [isPlaying, setPlaying] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [missing] = missingReplayPages(replay);
  useEffect(() => {
    if (missing === undefined) return;
    const leaving = new AbortController();
    const request = { after: missing * replayPageSize, limit: replayPageSize };
    readJournalPage(fairlead, session, request, leaving.signal).then(
      (events) => {
        if (!leaving.signal.aborted) setReplay((before) => withReplayPage(before, missing, events));
      },
      (reason: unknown) => {
        if (!leaving.signal.aborted) setError(reason);
      },
    );
    return () => leaving.abort();
  }, [fairlead, session, missing]);
  const isRunning = isPlaying && replay.position < replay.total;
  useEffect(() => {
    if (!isRunning) return;
    // The time that passed, and not the interval: a busy page runs its timers late, and would play more slowly.
    let last = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      const passed = Math.min(now - last, longestStep);
      last = now;
      setReplay((before) => play(before, passed * speed));
    }, tick);
    return () => clearInterval(timer);
  }, [isRunning, speed]);
  return {
    replay,
    isPlaying: isRunning,
    error,
    setPlaying,
    moveTo: (position) => setReplay((before) => seek(before, position)),
  };
}
