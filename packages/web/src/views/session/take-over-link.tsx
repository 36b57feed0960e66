import type { SessionView } from "@fairlead/api";
import { useMemo, type ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { useActions } from "../../app/actions.ts";
import { useGrant } from "../../app/fairlead-context.ts";
import { useKeys } from "../../app/keys.ts";
import { KeyHint } from "../../components/key-hint.tsx";
import { whyNotTakeOver } from "../../state/terminal/take-over.ts";

/** Leads to the agent's own terminal, if the person may take it over or another person leads there. */
export function TakeOverLink({ view }: { readonly view: SessionView }): ReactNode {
  const [, navigate] = useLocation();
  const { scopes } = useGrant();
  const path = `/s/${view.session}/terminal`;
  const isLed = view.lead === "human";
  const isOffered = isLed || whyNotTakeOver(view, scopes) === null;
  const label = isLed ? "Terminal" : "Take over";
  useKeys(useMemo(() => (isOffered ? { t: () => navigate(path) } : {}), [isOffered, navigate, path]));
  useActions(
    useMemo(
      () =>
        isOffered
          ? [{ label: isLed ? "Show the terminal" : "Take the session over", hint: "t", run: () => navigate(path) }]
          : [],
      [isOffered, isLed, navigate, path],
    ),
  );
  if (!isOffered) return null;
  return (
    <Link
      href={path}
      className="inline-flex min-h-8 shrink-0 items-center gap-2 rounded-md border border-line bg-raised px-3 whitespace-nowrap hover:border-quiet max-sm:hidden"
    >
      {label} <KeyHint keys="t" />
    </Link>
  );
}
