import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useFairlead } from "../../app/fairlead-context.ts";
import { ProblemText } from "../../components/problem-text.tsx";
import { groupUsage, sumUsage, type UsageGrouping } from "../../state/usage/usage.ts";
import { UsageBars } from "./usage-bars.tsx";
import { UsageTable } from "./usage-table.tsx";
import { TotalUsage } from "./total-usage.tsx";

/** What all sessions have used, in all, by what is chosen, and by session. */
export function UsageOfAll({ grouping }: { readonly grouping: UsageGrouping }): ReactNode {
  const fairlead = useFairlead();
  const { data, error } = useQuery({ queryKey: ["usage"], queryFn: () => fairlead.usage(), refetchInterval: 10_000 });
  if (data === undefined) return error === null ? null : <ProblemText error={error} />;
  if (data.length === 0) return <p className="p-6 text-quiet">No session has reported usage yet.</p>;
  return (
    <>
      <TotalUsage sum={sumUsage(data)} sessions={new Set(data.map(({ session }) => session)).size} />
      <UsageBars groups={groupUsage(data, grouping)} grouping={grouping} />
      <UsageTable entries={data} />
    </>
  );
}
