import { formatDuration, formatMoney } from "@fairlead/api";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useFairlead } from "../../app/fairlead-context.ts";
import { ProblemText } from "../../components/problem-text.tsx";
import { sumTurns } from "../../state/usage/turn-sums.ts";
import { abbreviateCount, cachedPercent, countTokens, sumUsage, type UsageGrouping } from "../../state/usage/usage.ts";
import { stackUsage, type UsageRange, usageSpanOf } from "../../state/usage/usage-over-time.ts";
import { GroupTable } from "./group-table.tsx";
import { UsageChart } from "./usage-chart.tsx";
import { Total } from "./total-usage.tsx";

interface UsageOverTimeProps {
  readonly range: UsageRange;
  readonly grouping: UsageGrouping;
}

/** What all sessions used in a range of time. It has what agents reported, and no estimate. */
export function UsageOverTime({ range, grouping }: UsageOverTimeProps): ReactNode {
  const fairlead = useFairlead();
  const { data, error } = useQuery({
    queryKey: ["usage-history", range],
    queryFn: async () => {
      const span = usageSpanOf(range, Date.now(), new Date().setHours(0, 0, 0, 0));
      const query = { by: span.by, from: new Date(span.from).toISOString() };
      const [buckets, turns] = await Promise.all([fairlead.usageHistory(query), fairlead.turnHistory(query)]);
      return { span, buckets, turns };
    },
    refetchInterval: 30_000,
  });
  if (data === undefined) return error === null ? null : <ProblemText error={error} />;
  const { span, buckets, turns } = data;
  if (buckets.length === 0 && turns.length === 0)
    return <p className="p-6 text-quiet">No turn ended in this time, and no session reported usage.</p>;
  const { tokens, cost, provenances } = sumUsage(buckets);
  const ended = sumTurns(turns);
  const cached = cachedPercent(tokens);
  return (
    <>
      <dl className="grid grid-cols-2 gap-4 p-4 lg:grid-cols-4">
        <Total label="Cost, as reported" value={cost === null ? "–" : formatMoney(cost)}>
          {cost === null ? "no agent reported a cost" : "without estimates"}
        </Total>
        <Total label="Tokens" value={abbreviateCount(countTokens(tokens))}>
          {[
            ...(cached === null ? [] : [`${cached} % of the input from caches`]),
            ...provenances.map(([provenance, count]) => `${abbreviateCount(count)} ${provenance}`),
          ].join(" · ")}
        </Total>
        <Total label="Turns that ended" value={String(ended.turns)}>
          {ended.failed} failed · {ended.interrupted} interrupted
        </Total>
        <Total label="Requests waited" value={formatDuration(ended.waitedMs)}>
          {ended.waitedMs > 0 && `longest ${formatDuration(ended.longestWaitMs)}`}
        </Total>
      </dl>
      {buckets.length === 0 ? (
        <p className="px-4 pb-4 text-quiet">No session reported usage in this time.</p>
      ) : (
        <UsageChart stacked={stackUsage(buckets, grouping, span)} span={span} grouping={grouping} />
      )}
      <GroupTable buckets={buckets} turns={turns} grouping={grouping} />
    </>
  );
}
