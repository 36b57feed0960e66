import { formatMoney, type UsageBucket } from "@fairlead/api";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useFairlead } from "../../app/fairlead-context.ts";
import { Problem } from "../../components/problem.tsx";
import { abbreviateCount, cachedPercent, countTokens, sumUsage, type UsageGrouping } from "../../state/usage.ts";
import { stackUsage, type UsageRange, usageSpanOf } from "../../state/usage-over-time.ts";
import { UsageChart } from "./usage-chart.tsx";
import { Total } from "./usage-totals.tsx";

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
      const buckets = await fairlead.usageHistory({ by: span.by, from: new Date(span.from).toISOString() });
      return { span, buckets };
    },
    refetchInterval: 30_000,
  });
  if (data === undefined) return error === null ? null : <Problem error={error} />;
  const { span, buckets } = data;
  if (buckets.length === 0) return <p className="p-6 text-quiet">No session has reported usage in this time.</p>;
  const { tokens, cost, provenances } = sumUsage(withoutEstimates(buckets));
  const cached = cachedPercent(tokens);
  return (
    <>
      <dl className="grid grid-cols-2 gap-4 p-4 lg:grid-cols-3">
        <Total label="Cost, as reported" value={cost === null ? "–" : formatMoney(cost)}>
          {cost === null ? "no agent reported a cost" : "without estimates"}
        </Total>
        <Total label="Tokens" value={abbreviateCount(countTokens(tokens))}>
          {cached !== null && `${cached} % of the input read from caches`}
        </Total>
        <Total label="Turns of each model" value={String(turnsOf(buckets))}>
          {provenances.map(([provenance, count]) => `${abbreviateCount(count)} tokens ${provenance}`).join(" · ")}
        </Total>
      </dl>
      <UsageChart stacked={stackUsage(buckets, grouping, span)} span={span} grouping={grouping} />
      <GroupTable buckets={buckets} grouping={grouping} />
    </>
  );
}

const head = "px-2 py-1.5 font-normal";

/** The usage of each group in the range, the largest first. */
function GroupTable({
  buckets,
  grouping,
}: {
  readonly buckets: readonly UsageBucket[];
  readonly grouping: UsageGrouping;
}): ReactNode {
  const groups = Array.from(
    Map.groupBy(buckets, (bucket) => bucket[grouping]),
    ([key, members]) => {
      return { key, turns: turnsOf(members), ...sumUsage(withoutEstimates(members)) };
    },
  ).toSorted((one, other) => countTokens(other.tokens) - countTokens(one.tokens));
  return (
    <div className="overflow-x-auto px-2 pb-4">
      <table className="w-full whitespace-nowrap">
        <caption className="sr-only">Usage by {grouping}</caption>
        <thead className="text-quiet">
          <tr className="border-b border-line">
            <th scope="col" className={`${head} text-left`}>
              {grouping}
            </th>
            {["input", "cached", "output", "turns", "cost"].map((name) => (
              <th key={name} scope="col" className={`${head} text-right`}>
                {name}
              </th>
            ))}
            <th scope="col" className={`${head} text-left`}>
              tokens are
            </th>
          </tr>
        </thead>
        <tbody>
          {groups.slice(0, 200).map(({ key, tokens, turns, cost, provenances }) => (
            <tr key={key} className="border-b border-line/60">
              <th scope="row" className="max-w-80 truncate px-2 py-1.5 text-left font-medium" title={key}>
                <bdi>{key === "" ? "not named" : key}</bdi>
              </th>
              {[tokens.uncached + tokens.cacheWrite, tokens.cacheRead, tokens.output].map((count, index) => (
                <td key={["input", "cached", "output"][index]} className="px-2 py-1.5 text-right">
                  {abbreviateCount(count)}
                </td>
              ))}
              <td className="px-2 py-1.5 text-right">{turns}</td>
              <td className="px-2 py-1.5 text-right">{cost === null ? "–" : formatMoney(cost)}</td>
              <td className="px-2 py-1.5 text-left">{provenances.at(-1)?.[0]}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {groups.length > 200 && <p className="p-2 text-quiet">{groups.length - 200} smaller rows are not shown.</p>}
    </div>
  );
}

function turnsOf(buckets: readonly UsageBucket[]): number {
  return buckets.reduce((sum, { turns }) => sum + turns, 0);
}

function withoutEstimates(buckets: readonly UsageBucket[]): (UsageBucket & { readonly estimate: null })[] {
  return buckets.map((bucket) => ({ ...bucket, estimate: null }));
}
