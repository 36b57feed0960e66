import { toOneLine } from "@fairlead/api";
import { useMemo, useState, type KeyboardEvent, type ReactNode } from "react";
import { useLocation } from "wouter";
import { KeyHint } from "../../components/key-hint.tsx";
import { Modal } from "../../components/modal.tsx";
import { StateBadge } from "../../components/state-badge.tsx";
import { findSessions, matchesLabel } from "../../state/find-in-palette.ts";
import { type Action, listActions } from "../actions.ts";
import { useOverview } from "../fairlead-context.ts";

interface Entry extends Action {
  readonly key: string;
  readonly badge?: ReactNode;
}

/** Finds a session or an action by its words. */
export function Palette({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [, navigate] = useLocation();
  const { overview } = useOverview();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  // Read once: the list must not change below a person who is about to press Enter.
  const [actions] = useState(listActions);
  const [sessions] = useState(() => [...overview.sessions.values()]);
  const entries = useMemo((): readonly Entry[] => {
    const found = findSessions(sessions, text).map((view) => ({
      key: view.session,
      label: `${view.name ?? view.session} · ${toOneLine(view.title)}`,
      badge: <StateBadge view={view} />,
      run: () => navigate(`/s/${view.session}`),
    }));
    const fitting = actions.filter(({ label }) => matchesLabel(label, text)).map((one) => ({ ...one, key: one.label }));
    return text === "" ? [...fitting, ...found] : [...found, ...fitting];
  }, [sessions, actions, text, navigate]);
  const choose = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    onClose();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key] ?? 0;
    if (step !== 0) setAt((before) => Math.min(Math.max(before + step, 0), entries.length - 1));
    else if (event.key === "Enter") choose(entries[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Modal label="Search or act" onClose={onClose}>
      <input
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- a dialog that was opened to type in
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-entries"
        aria-activedescendant={entries[at] && `palette-${at}`}
        aria-label="Search sessions and actions"
        placeholder="Search sessions, or type what to do"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
        className="h-11 w-full border-b border-line bg-transparent px-4 outline-none"
      />
      <div id="palette-entries" role="listbox" aria-label="Results" className="max-h-[50vh] overflow-y-auto py-1">
        {entries.map((entry, index) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the field above has the focus, and takes the keys
          <div
            key={entry.key}
            id={`palette-${index}`}
            ref={(element) => void (index === at && element?.scrollIntoView({ block: "nearest" }))}
            role="option"
            aria-selected={index === at}
            onClick={() => choose(entry)}
            onMouseMove={() => setAt(index)}
            className={`flex min-h-9 cursor-default items-center gap-3 px-4 max-sm:min-h-11 ${index === at ? "bg-raised" : ""}`}
          >
            <span className="min-w-0 flex-1 truncate">
              <bdi>{entry.label}</bdi>
            </span>
            {entry.badge}
            {entry.hint !== undefined && <KeyHint keys={entry.hint} />}
          </div>
        ))}
        {entries.length === 0 && <div className="px-4 py-2 text-quiet">Nothing matches.</div>}
      </div>
    </Modal>
  );
}
