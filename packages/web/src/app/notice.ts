import type { DecisionView, SessionView } from "@fairlead/api";
import { useEffect, useMemo, useRef } from "react";
import { useLocation } from "wouter";
import { summarizeCard } from "../state/inbox/decision-card.ts";
import { inboxKey, listWaiting } from "../state/inbox/inbox-list.ts";
import { inboxPath } from "../state/inbox/inbox-path.ts";
import { sessionNameOf } from "../state/sessions/session-name.ts";
import { findNotices, formatTitle, type KnownWaits } from "../state/notices.ts";
import { useOverview } from "./fairlead-context.ts";
import plainIcon from "./icon.svg";
import waitingIcon from "./icon-waits.svg";
import { VisibleTabs } from "./visible-tabs.ts";

/**
 * Says that something waits: in the title, on the icon, and as a notification of the browser if the person allowed it. There
 * is no push service, so a page that the phone has suspended says nothing.
 */
export function useNotices(): void {
  const { overview } = useOverview();
  const [, navigate] = useLocation();
  const known = useRef<KnownWaits>(null);
  const tabs = useRef<VisibleTabs | null>(null);
  const { sessions, decisions, isComplete } = overview;
  const waiting = useMemo(() => listWaiting(decisions.values(), sessions), [decisions, sessions]);

  useEffect(() => {
    tabs.current = new VisibleTabs();
    return () => tabs.current?.close();
  }, []);

  useEffect(() => {
    document.title = formatTitle(waiting.length);
    showIcon(waiting.length);
  }, [waiting.length]);

  useEffect(() => {
    if (!isComplete) return;
    const { fresh, known: next } = findNotices(known.current, waiting);
    known.current = next;
    if (fresh.length === 0 || !mayNotify()) return;
    void tabs.current?.isAnyVisible().then((isVisible) => {
      if (isVisible) return;
      for (const view of fresh) notify(view, sessions.get(view.session), () => navigate(inboxPath(view)));
    });
  }, [isComplete, waiting, sessions, navigate]);
}

function mayNotify(): boolean {
  return "Notification" in globalThis && Notification.permission === "granted";
}

function notify(view: DecisionView, session: SessionView | undefined, open: () => void): void {
  try {
    const notification = new Notification(`${sessionNameOf(session ?? null, view.session)} waits for you`, {
      body: summarizeCard(view).slice(0, 200),
      // Several hidden tabs show one notification.
      tag: inboxKey(view),
    });
    notification.addEventListener("click", () => {
      window.focus();
      notification.close();
      open();
    });
  } catch {
    // Browsers of phones show notifications of service workers only. The page has none.
  }
}

function showIcon(waiting: number): void {
  const link = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (link !== null) link.href = waiting === 0 ? plainIcon : waitingIcon;
  // Only an installed page has a badge, and the browser may refuse it.
  if ("setAppBadge" in navigator) void navigator.setAppBadge(waiting).catch(() => null);
}
