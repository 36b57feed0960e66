import type { ReactNode } from "react";
import { Route, Switch, useLocation } from "wouter";
import { SessionsView } from "../views/sessions/sessions-view.tsx";
import { lazyPart } from "./boundary/lazy-part.ts";
import { PartBoundary } from "./boundary/part-boundary.tsx";
import { useNotices } from "./notice.ts";
import { Notices } from "./notices.tsx";
import { BottomBar, TopBar } from "./top-bar.tsx";

const OtherViews = lazyPart(async () => (await import("./other-views.tsx")).OtherViews);

/** The frame of all views. Only the list of sessions is loaded at once, so that the first view is quick on a slow phone. */
export function Page(): ReactNode {
  useNotices();
  const [location] = useLocation();
  return (
    <div className="flex h-full flex-col">
      <TopBar />
      <Notices />
      {/* A window that shows few lines, such as one with enlarged text, scrolls as a whole. */}
      <main className="min-h-0 flex-1 [@media(max-height:480px)]:min-h-120 [@media(max-height:480px)]:shrink-0">
        <PartBoundary name="This view" place={location}>
          <Switch>
            <Route path="/" component={SessionsView} />
            <Route component={OtherViews} />
          </Switch>
        </PartBoundary>
      </main>
      <BottomBar />
    </div>
  );
}
