import { formatMoney, toOneLine, type UsageView } from "@fairlead/api";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useOverview } from "../../app/fairlead-context.ts";
import { countTokens, abbreviateCount } from "../../state/usage/usage.ts";

const maxRows = 200;

const right = "px-2 py-1.5 text-right";
const left = "max-w-60 truncate px-2 py-1.5 text-left";

/** The usage of each session and model, the largest first. */
export function UsageTable({ entries }: { readonly entries: readonly UsageView[] }): ReactNode {
  const { overview } = useOverview();
  const sorted = entries.toSorted((one, other) => countTokens(other.tokens) - countTokens(one.tokens));
  return (
    <div className="overflow-x-auto px-2 pb-4">
      <table className="w-full whitespace-nowrap">
        <caption className="sr-only">Usage by session and model</caption>
        <thead className="text-quiet">
          <tr className="border-b border-line">
            {["session", "agent", "model"].map((name) => (
              <th key={name} scope="col" className={`${left} font-normal`}>
                {name}
              </th>
            ))}
            {["input", "cached", "output", "cost", "estimate"].map((name) => (
              <th key={name} scope="col" className={`${right} font-normal`}>
                {name}
              </th>
            ))}
            <th scope="col" className={`${left} font-normal`}>
              tokens are
            </th>
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, maxRows).map((entry) => {
            const { session, agent, provider, model, tokens, cost, estimate, provenance } = entry;
            const view = overview.sessions.get(session);
            return (
              <tr key={`${session} ${provider} ${model}`} className="border-b border-line/60">
                {/* oxlint-disable-next-line jsx-a11y/control-has-associated-label -- the name in it is its label */}
                <th scope="row" className={left}>
                  <Link href={`/s/${session}`} className="font-medium hover:underline">
                    <bdi>{view?.name ?? session}</bdi>
                  </Link>
                </th>
                <td className={left}>
                  <bdi>{view?.label ?? agent}</bdi>
                </td>
                <td className={left}>
                  <bdi>{toOneLine(model)}</bdi>
                </td>
                <td className={right}>{abbreviateCount(tokens.uncached + tokens.cacheWrite)}</td>
                <td className={right}>{abbreviateCount(tokens.cacheRead)}</td>
                <td className={right}>{abbreviateCount(tokens.output)}</td>
                <td className={right}>{cost === null ? "–" : formatMoney(cost)}</td>
                <td className={right}>{estimate === null ? "–" : `~${formatMoney(estimate.amount)}`}</td>
                <td className={left}>{provenance}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {sorted.length > maxRows && (
        <p className="p-2 text-quiet">
          {sorted.length - maxRows} smaller rows are not shown. All of them: <code>fairlead usage</code>
        </p>
      )}
    </div>
  );
}
