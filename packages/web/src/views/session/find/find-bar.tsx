import type { KeyboardEvent, ReactNode } from "react";
import { Button } from "../../../components/button.tsx";
import { ProblemText } from "../../../components/problem-text.tsx";
import { describeFind } from "./find-progress.ts";
import { useFind } from "./use-find.ts";

interface FindBarProps {
  readonly session: string;
  /** Shows the event of a match. */
  readonly onMatch: (sequence: number) => void;
  readonly onText: (text: string) => void;
  readonly onClose: () => void;
}

const maxTextLength = 200;

/** Finds a text in the session, from its end to its beginning, and moves from match to match. */
export function FindBar({ session, onMatch, onText, onClose }: FindBarProps): ReactNode {
  const { progress, isSearching, error, setText, move } = useFind(session, onMatch);
  const { text, matches, at } = progress;
  const match = matches[at];
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
    event.preventDefault();
    if (event.key === "Escape") onClose();
    else move(event.shiftKey ? "newer" : "older");
  };
  return (
    <search aria-label="Find in session" className="shrink-0 border-b border-line px-4 py-1">
      <div className="flex flex-wrap items-center gap-2">
        <input
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- a person opened the field to type into it
          autoFocus
          type="search"
          aria-label="Text to find"
          placeholder="Find in session"
          maxLength={maxTextLength}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            onText(target.value);
          }}
          onKeyDown={onKeyDown}
          className="min-h-8 min-w-0 flex-1 rounded-md border border-line bg-surface px-2 max-sm:min-h-11"
        />
        <Button disabled={at < 1} aria-label="Newer match" title="Newer (Shift Enter)" onClick={() => move("newer")}>
          ↓
        </Button>
        <Button disabled={text === ""} aria-label="Older match" title="Older (Enter)" onClick={() => move("older")}>
          ↑
        </Button>
        <Button aria-label="Close the search" title="Close (Esc)" onClick={onClose}>
          ✕
        </Button>
      </div>
      <p role="status" className="min-h-5 truncate text-sm text-quiet tabular-nums">
        {describeFind(progress, isSearching)}
        {match !== undefined && (
          <>
            {" · "}#{match.sequence} {match.excerpt.slice(0, match.offset)}
            <mark className="bg-waits/30 text-ink">
              {match.excerpt.slice(match.offset, match.offset + match.length)}
            </mark>
            {match.excerpt.slice(match.offset + match.length)}
          </>
        )}
      </p>
      {error !== null && <ProblemText error={error} />}
    </search>
  );
}
