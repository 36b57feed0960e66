import type { SessionView } from "@fairlead/api";
import type { ReactNode } from "react";
import { useNow } from "../../app/use-now.ts";
import { Sparkline } from "../../components/sparkline.tsx";
import { toMinuteBars } from "../../state/sessions/minute-bars.ts";

/** The activity of a session in the last minutes. */
export function RecentActivity({ recent }: { readonly recent: SessionView["recentEvents"] }): ReactNode {
  return <Sparkline bars={toMinuteBars(recent, useNow())} />;
}
