import { lazy, Suspense, type ReactNode } from "react";
import { Route, Switch } from "wouter";
import { SessionsView } from "../views/sessions/sessions-view.tsx";
import { useNotices } from "./notice.ts";
import { Notices } from "./notices.tsx";
import { BottomBar, TopBar } from "./top-bar.tsx";

const OtherViews = lazy(async () => ({ default: (await import("./other-views.tsx")).OtherViews }));

/** The frame of all views. Only the list of sessions is loaded at once, so that the first view is quick on a slow phone. */
export function Page(): ReactNode {
  useNotices();
  return (
    <div className="flex h-full flex-col">
      <TopBar />
      <Notices />
      {/* A window that shows few lines, such as one with enlarged text, scrolls as a whole. */}
      <main className="min-h-0 flex-1 [@media(max-height:480px)]:min-h-120 [@media(max-height:480px)]:shrink-0">
        <Suspense fallback={null}>
          <Switch>
            <Route path="/" component={SessionsView} />
            <Route component={OtherViews} />
          </Switch>
        </Suspense>
      </main>
      <BottomBar />
    </div>
  );
}
