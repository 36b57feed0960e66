import { toOneLine } from "@fairlead/api";
import type { ReactNode } from "react";
import { countTokens, abbreviateCount, type UsageGroup, type UsageGrouping } from "../../state/usage/usage.ts";

const maxBars = 12;
const barHeight = 16;

/** The parts of a bar. Each differs in lightness and in its place, and the numbers are beside it. */
const parts = [
  { label: "output", className: "fill-accent", of: ({ tokens }: UsageGroup) => tokens.output },
  {
    label: "input",
    className: "fill-accent/55",
    of: ({ tokens }: UsageGroup) => tokens.uncached + tokens.cacheWrite,
  },
  { label: "input from caches", className: "fill-quiet/40", of: ({ tokens }: UsageGroup) => tokens.cacheRead },
] as const;

interface UsageBarsProps {
  readonly groups: readonly UsageGroup[];
  readonly grouping: UsageGrouping;
}

/** The tokens of each group as a bar, with its numbers as text. */
export function UsageBars({ groups, grouping }: UsageBarsProps): ReactNode {
  const shown = groups.slice(0, maxBars);
  const largest = Math.max(1, ...shown.map(({ tokens }) => countTokens(tokens)));
  return (
    <section aria-label={`Tokens by ${grouping}`} className="px-4 pb-4">
      <ul className="flex flex-col gap-1">
        {shown.map((group) => (
          <li
            key={group.key}
            className="grid grid-cols-[minmax(0,1fr)_2fr] items-center gap-3 lg:grid-cols-[240px_1fr]"
          >
            <bdi className="truncate" title={toOneLine(group.key)}>
              {group.key === "" ? "not named" : toOneLine(group.key)}
            </bdi>
            <span className="flex items-center gap-2">
              <Bar group={group} largest={largest} />
              <span className="w-80 shrink-0 text-right text-quiet max-lg:w-16">
                {abbreviateCount(countTokens(group.tokens))}
                <span className="max-lg:sr-only">
                  {" "}
                  (
                  {parts
                    .map(
                      ({ label, of }) =>
                        `${abbreviateCount(of(group))} ${label === "input from caches" ? "cached" : label}`,
                    )
                    .join(", ")}
                  )
                </span>
              </span>
            </span>
          </li>
        ))}
      </ul>
      {groups.length > maxBars && (
        <p className="pt-1 text-quiet">{groups.length - maxBars} smaller ones are in the table below.</p>
      )}
      <ul aria-label="Parts of a bar" className="flex flex-wrap gap-4 pt-2 text-sm text-quiet">
        {parts.map(({ label, className }) => (
          <li key={label} className="flex items-center gap-1.5">
            <svg width="10" height="10" aria-hidden="true">
              <rect width="10" height="10" className={className} />
            </svg>
            {label}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Bar({ group, largest }: { readonly group: UsageGroup; readonly largest: number }): ReactNode {
  const widths = parts.map(({ of }) => (100 * of(group)) / largest);
  return (
    <svg
      className="min-w-0 flex-1"
      height={barHeight}
      viewBox={`0 0 100 ${barHeight}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {parts.map(({ label, className }, at) => (
        <rect
          key={label}
          x={widths.slice(0, at).reduce((sum, width) => sum + width, 0)}
          width={widths[at]}
          height={barHeight}
          className={className}
        />
      ))}
    </svg>
  );
}
