import { formatAge } from "@fairlead/api";
import type { ReactNode } from "react";
import { freshnessOf } from "../state/freshness.ts";
import { useOverview } from "./fairlead-context.ts";
import { useNow } from "./use-now.ts";

/** Says whether what is shown is current, and else how old it is. */
export function ConnectionState(): ReactNode {
  const state = freshnessOf(useOverview(), useNow());
  const [color, text] =
    state.type === "live"
      ? ["bg-good", "live"]
      : state.type === "connecting"
        ? ["bg-quiet", "connecting"]
        : state.type === "stale"
          ? ["bg-waits", `${formatAge(state.seconds * 1000)} old, reconnecting`]
          : ["bg-fails", "access refused"];
  return (
    <span className="flex flex-1 justify-end pr-1 pl-2 whitespace-nowrap text-quiet" data-freshness={state.type}>
      {/* Another element for each state: the same one would move as its text gets shorter. */}
      <span key={state.type} className="flex items-center gap-2" aria-hidden="true">
        <i className={`size-1.5 rounded-full ${color}`} />
        <span>{text}</span>
      </span>
      {/* Without the age, which changes every second: a screen reader would read each of them out. */}
      <span role="status" className="sr-only">
        {state.type === "stale" ? "reconnecting" : text}
      </span>
    </span>
  );
}
