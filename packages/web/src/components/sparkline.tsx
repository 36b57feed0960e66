import type { ReactNode } from "react";

const height = 14;

/** Bars for how much happened in each minute. The row says the same with an age, so readers of a screen need no chart. */
export function Sparkline({ bars }: { readonly bars: readonly number[] }): ReactNode {
  const most = Math.max(...bars, 1);
  return (
    <svg width={bars.length * 4} height={height} aria-hidden="true" className="fill-quiet/60">
      {bars.map((count, index) => {
        // By the logarithm: one event beside a thousand must still be seen.
        const size = count === 0 ? 1 : 2 + (Math.log(1 + count) / Math.log(1 + most)) * (height - 2);
        return <rect key={index} x={index * 4} y={height - size} width={3} height={size} />;
      })}
    </svg>
  );
}
