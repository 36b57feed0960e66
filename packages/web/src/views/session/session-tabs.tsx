import type { ReactNode } from "react";

export type SessionTab = "timeline" | "turns" | "changes" | "files" | "plan" | "raw";

const labels: Readonly<Record<SessionTab, string>> = {
  timeline: "Timeline",
  turns: "Turns",
  changes: "Changes",
  files: "Files",
  plan: "Plan",
  raw: "Raw",
};

interface SessionTabsProps {
  readonly tabs: readonly SessionTab[];
  readonly tab: SessionTab;
  readonly onTab: (tab: SessionTab) => void;
}

/** Chooses what the panel shows; on a narrow screen, what the whole view shows. */
export function SessionTabs({ tabs, tab, onTab }: SessionTabsProps): ReactNode {
  return (
    <nav
      aria-label="Parts of the session"
      className="flex min-h-10 shrink-0 items-center gap-1 overflow-x-auto border-b border-line px-2"
    >
      {tabs.map((one) => (
        <button
          key={one}
          type="button"
          aria-current={one === tab ? "true" : undefined}
          className={`min-h-7 shrink-0 rounded-md px-2 max-sm:min-h-11 ${one === tab ? "bg-raised text-ink" : "text-quiet hover:text-ink"}`}
          onClick={() => onTab(one)}
        >
          {labels[one]}
        </button>
      ))}
    </nav>
  );
}
