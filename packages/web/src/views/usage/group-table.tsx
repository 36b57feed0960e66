import { formatDuration, formatMoney, toOneLine, type TurnBucket, type UsageBucket } from "@fairlead/api";
import type { ReactNode } from "react";
import { groupTurns } from "../../state/usage/turn-sums.ts";
import { abbreviateCount, groupUsage, sumUsage, type UsageGrouping } from "../../state/usage/usage.ts";

const maxRows = 200;
const cell = "px-2 py-1.5";
const right = `${cell} text-right`;

interface GroupTableProps {
  readonly buckets: readonly UsageBucket[];
  readonly turns: readonly TurnBucket[];
  readonly grouping: UsageGrouping;
}

/** The usage of each group in a range of time, the largest first, with its turns where a turn has one group. */
export function GroupTable({ buckets, turns, grouping }: GroupTableProps): ReactNode {
  const ended = groupTurns(turns, grouping);
  const groups = groupUsage(buckets, grouping);
  const named = new Set(groups.map(({ key }) => key));
  const withoutUsage = [...(ended?.keys() ?? [])].filter((key) => !named.has(key));
  const rows = [...groups, ...withoutUsage.map((key) => ({ key, ...sumUsage([]) }))];
  const columns = ["input", "cached", "output", "turns", ...(ended === undefined ? [] : ["failed", "waited"]), "cost"];
  return (
    <div className="overflow-x-auto px-2 pb-4">
      <table className="w-full whitespace-nowrap">
        <caption className="sr-only">Usage by {grouping}</caption>
        <thead className="text-quiet">
          <tr className="border-b border-line">
            <th scope="col" className={`${cell} text-left font-normal`}>
              {grouping}
            </th>
            {columns.map((name) => (
              <th key={name} scope="col" className={`${right} font-normal`}>
                {name}
              </th>
            ))}
            <th scope="col" className={`${cell} text-left font-normal`}>
              tokens are
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, maxRows).map(({ key, tokens, cost, provenances }) => {
            const sum = ended?.get(key);
            return (
              <tr key={key} className="border-b border-line/60">
                <th scope="row" className={`${cell} max-w-80 truncate text-left font-medium`} title={toOneLine(key)}>
                  <bdi>{key === "" ? "not named" : toOneLine(key)}</bdi>
                </th>
                <td className={right}>{abbreviateCount(tokens.uncached + tokens.cacheWrite)}</td>
                <td className={right}>{abbreviateCount(tokens.cacheRead)}</td>
                <td className={right}>{abbreviateCount(tokens.output)}</td>
                <td className={right}>{ended === undefined ? turnsOf(buckets, key) : (sum?.turns ?? 0)}</td>
                {ended !== undefined && (
                  <>
                    <td className={right}>{sum?.failed ?? 0}</td>
                    <td className={right}>{sum === undefined ? "–" : formatDuration(sum.waitedMs)}</td>
                  </>
                )}
                <td className={right}>{cost === null ? "–" : formatMoney(cost)}</td>
                <td className={`${cell} text-left`}>
                  {provenances.map(([provenance]) => provenance).join(", ") || "not reported"}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {rows.length > maxRows && <p className="p-2 text-quiet">{rows.length - maxRows} smaller rows are not shown.</p>}
    </div>
  );
}

/** The turns in which a model reported usage. A turn with two models counts twice. */
function turnsOf(buckets: readonly UsageBucket[], model: string): number {
  return buckets.reduce((sum, bucket) => sum + (bucket.model === model ? bucket.turns : 0), 0);
}
