import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { ConnectionState } from "./connection-state.tsx";
import { useOverview } from "./fairlead-context.ts";
import { PaletteButton } from "./palette/palette-button.tsx";

const tabs = [
  { path: "/", label: "Sessions", owns: /^\/($|s\/|start)/ },
  { path: "/inbox", label: "Inbox", owns: /^\/inbox/ },
  { path: "/usage", label: "Usage", owns: /^\/usage/ },
  { path: "/agents", label: "Agents", owns: /^\/agents/ },
] as const;

/** The name, the four views, and whether what is shown is current. On a phone, the views are at the bottom. */
export function TopBar(): ReactNode {
  return (
    <header className="flex h-10 shrink-0 items-center gap-1 border-b border-line px-3">
      <b className="mr-3 font-bold tracking-tight">Fairlead</b>
      <div className="max-sm:hidden">
        <Tabs />
      </div>
      {/* Takes the free space, and its text is at the end of it, where it moves nothing. */}
      <ConnectionState />
      <PaletteButton />
    </header>
  );
}

export function BottomBar(): ReactNode {
  return (
    <div className="shrink-0 border-t border-line pb-[env(safe-area-inset-bottom)] sm:hidden">
      <Tabs />
    </div>
  );
}

function Tabs(): ReactNode {
  const [location] = useLocation();
  const { overview } = useOverview();
  return (
    <nav aria-label="Views" className="flex gap-1 max-sm:h-14 max-sm:justify-around">
      {tabs.map(({ path, label, owns }) => (
        <Link
          key={path}
          href={path}
          aria-current={owns.test(location) ? "page" : undefined}
          className={`rounded-md px-2 py-1 max-sm:flex max-sm:flex-1 max-sm:items-center max-sm:justify-center ${owns.test(location) ? "bg-raised text-ink max-sm:bg-transparent" : "text-quiet hover:text-ink"}`}
        >
          {label}
          {path === "/inbox" && overview.decisions.size > 0 && (
            <span className="ml-1 text-waits">
              {overview.decisions.size}
              <span className="sr-only"> waiting</span>
            </span>
          )}
        </Link>
      ))}
    </nav>
  );
}
