import type { ReactNode } from "react";
import { abbreviateCount, type UsageGrouping } from "../../state/usage/usage.ts";
import type { StackedUsage, UsageSpan } from "../../state/usage/usage-over-time.ts";

const height = 100;
/** The shades of the groups, the largest first. They differ in lightness, and the table has the numbers. */
const shades = ["fill-accent", "fill-accent/55", "fill-ink/70", "fill-quiet/60", "fill-quiet/30"] as const;

interface UsageChartProps {
  readonly stacked: StackedUsage;
  readonly span: UsageSpan;
  readonly grouping: UsageGrouping;
}

/** The tokens over time as stacked bars, and the same numbers as a table. */
export function UsageChart({ stacked, span, grouping }: UsageChartProps): ReactNode {
  const { keys, bars, largest } = stacked;
  const labels = bars.filter((_, index) => index % span.barsPerLabel === 0);
  return (
    <section aria-label={`Tokens over time by ${grouping}`} className="px-4 pb-4">
      <svg
        className="h-40 w-full border-b border-line"
        viewBox={`0 0 ${bars.length} ${height}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {bars.map(({ start, tokens }, index) => (
          <g key={start}>
            <title>{`${labelOf(start, span)}: ${abbreviateCount(sumOf(tokens))} tokens`}</title>
            <Stack tokens={tokens} x={index} largest={largest} />
          </g>
        ))}
      </svg>
      <ol aria-hidden="true" className="flex text-xs text-quiet">
        {labels.map(({ start }) => (
          <li key={start} className="flex-1 truncate">
            {axisLabelOf(start, span)}
          </li>
        ))}
      </ol>
      <ul aria-label="Parts of a bar" className="flex flex-wrap gap-x-4 gap-y-1 pt-2 text-sm text-quiet">
        {keys.map((key, index) => (
          <li key={key ?? "\0"} className="flex min-w-0 items-center gap-1.5">
            <svg width="10" height="10" aria-hidden="true">
              <rect width="10" height="10" className={shades[index]} />
            </svg>
            <bdi className="truncate">{nameOf(key)}</bdi>
          </li>
        ))}
      </ul>
      <details className="pt-2 text-sm">
        <summary className="cursor-pointer text-quiet max-sm:min-h-11">The bars as a table</summary>
        <div className="overflow-x-auto">
          <table className="whitespace-nowrap">
            <caption className="sr-only">Tokens over time by {grouping}</caption>
            <thead className="text-quiet">
              <tr>
                <th scope="col" className="px-2 text-left font-normal">
                  {span.by === "hour" ? "hour" : "day (UTC)"}
                </th>
                {keys.map((key) => (
                  <th key={key ?? "\0"} scope="col" className="max-w-60 truncate px-2 text-right font-normal">
                    <bdi>{nameOf(key)}</bdi>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {bars
                .filter(({ tokens }) => sumOf(tokens) > 0)
                .map(({ start, tokens }) => (
                  <tr key={start}>
                    <th scope="row" className="px-2 text-left font-normal">
                      {labelOf(start, span)}
                    </th>
                    {keys.map((key, index) => (
                      <td key={key ?? "\0"} className="px-2 text-right">
                        {abbreviateCount(tokens[index] ?? 0)}
                      </td>
                    ))}
                  </tr>
                ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  );
}

interface StackProps {
  readonly tokens: readonly number[];
  readonly x: number;
  readonly largest: number;
}

function Stack({ tokens, x, largest }: StackProps): ReactNode {
  let top = height;
  return tokens.map((count, index) => {
    const part = (height * count) / largest;
    top -= part;
    return part === 0 ? null : (
      <rect key={shades[index]} x={x + 0.1} y={top} width={0.8} height={part} className={shades[index]} />
    );
  });
}

function nameOf(key: string | null): string {
  if (key === null) return "all others";
  return key === "" ? "not named" : key;
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

const day = { weekday: "short", month: "short", day: "numeric" } as const;
const time = { hour: "2-digit", minute: "2-digit" } as const;

/** Days of the service are in UTC; hours are shown in the person's time zone. */
function labelOf(start: number, { by }: UsageSpan): string {
  if (by === "day") return new Date(start).toLocaleDateString(undefined, { ...day, timeZone: "UTC" });
  return new Date(start).toLocaleString(undefined, { ...day, ...time });
}

/** Returns a label that is short enough for a seventh of a phone's width. */
function axisLabelOf(start: number, { by, bars }: UsageSpan): string {
  const date = new Date(start);
  if (by === "day") return date.toLocaleDateString(undefined, { month: "short", day: "numeric", timeZone: "UTC" });
  if (bars === 24) return date.toLocaleTimeString(undefined, time);
  return `${date.toLocaleDateString(undefined, { weekday: "short" })} ${date.getDate()}`;
}
