import { formatMoney, type SessionView } from "@fairlead/api";
import type { ReactNode } from "react";

/** What the session has cost, as far as it is reported. */
export function UsageLine({ view: { cost, estimate } }: { readonly view: SessionView }): ReactNode {
  const parts = [
    cost === null ? null : `${formatMoney(cost)} reported`,
    estimate === null || estimate === undefined ? null : `about ${formatMoney(estimate.amount)} at list prices`,
  ].filter((part) => part !== null);
  return <span className="whitespace-nowrap tabular-nums max-sm:hidden">{parts.join(" · ")}</span>;
}
