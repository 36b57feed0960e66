import type { ReactNode } from "react";
import { Route, Switch } from "wouter";
import { InboxView } from "../views/inbox/inbox-view.tsx";
import { LinkedDecision } from "../views/inbox/linked-decision.tsx";
import { lazyPart } from "./boundary/lazy-part.ts";
import { loadSessionView } from "./load-session-view.ts";
import { NotFound } from "./not-found.tsx";
import { QueryProvider } from "./query-provider.tsx";

const SessionDetails = lazyPart(loadSessionView);
const UsagePage = lazyPart(async () => (await import("../views/usage/usage-page.tsx")).UsagePage);
const AgentsView = lazyPart(async () => (await import("../views/agents/agents-view.tsx")).AgentsView);
const ReplayView = lazyPart(async () => (await import("../views/replay/replay-view.tsx")).ReplayView);
const TerminalView = lazyPart(async () => (await import("../views/terminal/terminal-view.tsx")).TerminalView);
const StartView = lazyPart(async () => (await import("../views/start/start-view.tsx")).StartView);

/** The views that are loaded when one of them is opened. Each of them is a file of its own. */
export function OtherViews(): ReactNode {
  return (
    <QueryProvider>
      <Switch>
        <Route path="/inbox" component={InboxView} />
        <Route path="/start" component={StartView} />
        <Route path="/s/:session" component={SessionDetails} />
        <Route path="/s/:session/replay" component={ReplayView} />
        <Route path="/s/:session/terminal">{({ session }) => <TerminalView session={session} />}</Route>
        <Route path="/inbox/*" component={LinkedDecision} />
        <Route path="/usage" component={UsagePage} />
        <Route path="/agents" component={AgentsView} />
        <Route component={NotFound} />
      </Switch>
    </QueryProvider>
  );
}
