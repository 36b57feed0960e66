import { useEffect, useRef, useState } from "react";
import { useFairlead } from "../../../app/fairlead-context.ts";
import { type FindProgress, moveFind, needsOlder, startFind, withOlder } from "./find-progress.ts";

export interface Find {
  readonly progress: FindProgress;
  readonly isSearching: boolean;
  readonly error: unknown;
  readonly setText: (text: string) => void;
  readonly move: (to: "older" | "newer") => void;
}

/** Milliseconds without a key before a text is searched for. */
const typingDelay = 250;

/** Searches a session, and calls `onMatch` with the number of each match that a person moves to. */
export function useFind(session: string, onMatch: (sequence: number) => void): Find {
  const fairlead = useFairlead();
  const [progress, setProgress] = useState(() => startFind(""));
  const [isSearching, setIsSearching] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const running = useRef(new AbortController());
  useEffect(() => () => running.current.abort(), []);

  const show = (from: FindProgress, to: "older" | "newer"): void => {
    const moved = moveFind(from, to);
    setProgress(moved);
    const match = moved.matches[moved.at];
    if (match !== undefined && moved.at !== from.at) onMatch(match.sequence);
  };
  /** Asks for pages until one has a match: the service returns after a part of a long session. */
  const searchOlder = async (from: FindProgress): Promise<void> => {
    running.current.abort();
    const { signal } = (running.current = new AbortController());
    setError(null);
    setIsSearching(true);
    let found = from;
    try {
      while (needsOlder(found) && !signal.aborted) {
        const before = found.next ?? undefined;
        const page = await fairlead.search(session, { text: found.text, ...(before !== undefined && { before }) });
        if (signal.aborted) return;
        found = withOlder(found, page);
        setProgress(found);
      }
      show(found, "older");
    } catch (failure) {
      if (!signal.aborted) setError(failure);
    } finally {
      if (!signal.aborted) setIsSearching(false);
    }
  };
  const setText = (text: string): void => {
    running.current.abort();
    const { signal } = (running.current = new AbortController());
    const started = startFind(text);
    setProgress(started);
    setError(null);
    setIsSearching(text !== "");
    if (text === "") return;
    setTimeout(() => {
      if (!signal.aborted) void searchOlder(started);
    }, typingDelay);
  };
  const move = (to: "older" | "newer"): void => {
    if (progress.text === "" || isSearching) return;
    if (to === "older" && needsOlder(progress)) void searchOlder(progress);
    else show(progress, to);
  };
  return { progress, isSearching, error, setText, move };
}
