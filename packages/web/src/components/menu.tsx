import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";

export interface MenuEntry {
  readonly label: string;
  readonly tone?: "fails";
  /** Why it cannot be chosen now. */
  readonly reason?: string | undefined;
  readonly onChoose: () => void;
}

interface MenuProps {
  readonly label: string;
  readonly entries: readonly MenuEntry[];
  readonly disabled?: boolean;
}

/** A button that opens a menu below it. Arrows, Home and End move in it, Escape and a press elsewhere close it. */
export function Menu({ label, entries, disabled = false }: MenuProps): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => {
    const element = root.current;
    if (!isOpen || element === null) return;
    itemsOf(element)[0]?.focus();
    const leaving = new AbortController();
    const closeOutside = ({ target }: Event): void => {
      if (!(target instanceof Node) || !element.contains(target)) setIsOpen(false);
    };
    addEventListener("pointerdown", closeOutside, { signal: leaving.signal });
    addEventListener("focusin", closeOutside, { signal: leaving.signal });
    return () => leaving.abort();
  }, [isOpen]);
  const close = (): void => {
    setIsOpen(false);
    root.current?.querySelector("button")?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isOpen && event.key !== "ArrowDown") return;
    const list = itemsOf(event.currentTarget);
    const at = list.findIndex((item) => item === document.activeElement);
    const targets: Readonly<Record<string, number>> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 };
    const target = targets[event.key];
    if (event.key === "Escape") close();
    else if (event.key === "Tab") setIsOpen(false);
    else if (target === undefined) return;
    else if (isOpen) list.at(target % list.length)?.focus();
    else setIsOpen(true);
    if (event.key !== "Tab") event.preventDefault();
    // The keys of the page do something else.
    event.stopPropagation();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- hears the keys of the button and the items in it
    <div ref={root} className="relative" onKeyDown={onKeyDown}>
      <button
        type="button"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        disabled={disabled}
        className="inline-flex size-8 items-center justify-center rounded-md border border-line bg-raised hover:border-quiet disabled:opacity-50 max-sm:size-11"
        onClick={() => setIsOpen(!isOpen)}
      >
        ⋯
      </button>
      {isOpen && (
        <div
          id={id}
          role="menu"
          aria-label={label}
          className="absolute top-full right-0 z-20 mt-1 min-w-44 rounded-lg border border-line bg-raised py-1 shadow-lg"
        >
          {entries.map((entry) => (
            <button
              key={entry.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              aria-disabled={entry.reason !== undefined}
              title={entry.reason}
              className={`flex min-h-8 w-full items-center px-3 text-left whitespace-nowrap hover:bg-surface focus:bg-surface max-sm:min-h-11 ${entry.tone === "fails" ? "text-fails" : ""} ${entry.reason === undefined ? "" : "text-quiet"}`}
              onClick={() => {
                if (entry.reason !== undefined) return;
                close();
                entry.onChoose();
              }}
            >
              {entry.label}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function itemsOf(menu: Element): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>("[role=menuitem]")];
}
