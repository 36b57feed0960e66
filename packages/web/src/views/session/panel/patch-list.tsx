import { escapeLine } from "@fairlead/api";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef, useState, type ReactNode } from "react";
import { lazyPart } from "../../../app/boundary/lazy-part.ts";
import { PartBoundary } from "../../../app/boundary/part-boundary.tsx";
import { type PatchFile, splitPatch } from "../../../state/split-patch.ts";

const PatchLines = lazyPart(async () => (await import("./patch-lines.tsx")).PatchLines);

interface PatchListProps {
  readonly patch: string;
  /** Files that a change not by a call of this session touched last. */
  readonly foreign: ReadonlySet<string>;
}

const headHeight = 32;

/** The files of a patch. The first one is open; the lines of a file are parsed and shown when it is on the screen. */
export function PatchList({ patch, foreign }: PatchListProps): ReactNode {
  const files = useMemo(() => splitPatch(patch), [patch]);
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [areAllOpen, setAreAllOpen] = useState(false);
  const scroller = useRef<HTMLDivElement>(null);
  const isOpen = (file: PatchFile, index: number): boolean =>
    (areAllOpen || index === 0 || files.length <= 2) !== toggled.has(file.path);
  const virtualizer = useVirtualizer({
    count: files.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => estimate(files[index], index, isOpen),
    getItemKey: (index) => files[index]?.path ?? index,
    overscan: 1,
  });
  const toggle = (path: string): void => {
    const next = new Set(toggled);
    if (!next.delete(path)) next.add(path);
    setToggled(next);
  };
  const items = virtualizer.getVirtualItems();
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {files.length > 2 && (
        <p className="flex shrink-0 justify-between border-b border-line px-3 py-1 text-quiet">
          {files.length} files
          <button
            type="button"
            className="hover:text-ink max-sm:min-h-11"
            onClick={() => {
              setToggled(new Set());
              setAreAllOpen(!areAllOpen);
            }}
          >
            {areAllOpen ? "Close all" : "Open all"}
          </button>
        </p>
      )}
      <div
        ref={scroller}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- people without a pointer scroll it with keys
        tabIndex={0}
        role="region"
        aria-label="Changed files"
        className="min-h-0 flex-1 overflow-y-auto [overflow-anchor:none]"
      >
        <div className="relative" style={{ height: virtualizer.getTotalSize() }}>
          <div className="absolute inset-x-0 top-0" style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
            {items.map(({ index, key }) => {
              const file = files[index];
              if (file === undefined) return null;
              const shown = isOpen(file, index);
              return (
                <section key={key} ref={virtualizer.measureElement} data-index={index} className="border-b border-line">
                  <button
                    type="button"
                    aria-expanded={shown}
                    className="flex min-h-8 w-full items-center gap-2 bg-raised px-3 text-left font-mono text-sm max-sm:min-h-11"
                    onClick={() => toggle(file.path)}
                  >
                    <span aria-hidden="true" className="text-quiet">
                      {shown ? "▾" : "▸"}
                    </span>
                    <bdi className="min-w-0 flex-1 truncate">{escapeLine(file.path)}</bdi>
                    {foreign.has(file.path) && <span className="text-waits">not only by the agent</span>}
                    <span className="text-good">+{file.added}</span>
                    <span className="text-fails">−{file.removed}</span>
                  </button>
                  {shown && (
                    <PartBoundary
                      name="The patch of this file"
                      place={file.path}
                      fallback={<div style={{ height: estimate(file, index, isOpen) - headHeight }} />}
                    >
                      {file.isBinary ? (
                        <p className="px-4 py-1 text-quiet">Not a text file.</p>
                      ) : (
                        <PatchLines source={file.source} />
                      )}
                    </PartBoundary>
                  )}
                </section>
              );
            })}
          </div>
        </div>
      </div>
    </div>
  );
}

function estimate(
  file: PatchFile | undefined,
  index: number,
  isOpen: (file: PatchFile, index: number) => boolean,
): number {
  if (file === undefined || !isOpen(file, index)) return headHeight;
  // A changed line has about 50 letters, and as many unchanged lines are around it.
  return headHeight + 18 * Math.min(500, Math.max(1, Math.round(file.source.length / 45)));
}
