import { formatMoney } from "@fairlead/api";
import type { ReactNode } from "react";
import { cachedPercent, countTokens, abbreviateCount, type UsageSum } from "../../state/usage/usage.ts";

/** The sums of everything. What agents reported and what list prices say are two numbers. */
export function TotalUsage({ sum, sessions }: { readonly sum: UsageSum; readonly sessions: number }): ReactNode {
  const cached = cachedPercent(sum.tokens);
  return (
    <dl className="grid grid-cols-2 gap-4 p-4 lg:grid-cols-4">
      <Total label="Cost, as reported" value={sum.cost === null ? "–" : formatMoney(sum.cost)}>
        {sum.cost === null && "no agent reported a cost"}
      </Total>
      <Total label="Estimate for the rest" value={sum.estimate === null ? "–" : `~${formatMoney(sum.estimate)}`}>
        {sum.estimate === null ? "nothing to estimate, or no price is known" : "at list prices, in addition"}
      </Total>
      <Total label="Tokens" value={abbreviateCount(countTokens(sum.tokens))}>
        {cached !== null && `${cached} % of the input read from caches`}
      </Total>
      <Total label="Sessions" value={String(sessions)}>
        {sum.provenances.map(([provenance, tokens]) => `${abbreviateCount(tokens)} tokens ${provenance}`).join(" · ")}
      </Total>
    </dl>
  );
}

interface TotalProps {
  readonly label: string;
  readonly value: string;
  readonly children: ReactNode;
}

/** One number with its label, and a line about it. */
export function Total({ label, value, children }: TotalProps): ReactNode {
  return (
    <div>
      <dt className="text-quiet">{label}</dt>
      <dd className="text-xl font-bold">{value}</dd>
      <dd className="text-quiet">{children}</dd>
    </div>
  );
}
