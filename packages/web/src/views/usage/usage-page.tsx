import { useState, type ReactNode } from "react";
import { Chip } from "../../components/chip.tsx";
import { usageGroupings, type UsageGrouping } from "../../state/usage/usage.ts";
import { type UsageRange, usageRanges } from "../../state/usage/usage-over-time.ts";
import { UsageOfAll } from "./usage-of-all.tsx";
import { UsageOverTime } from "./usage-over-time.tsx";

/** What all sessions have used, in a range of time or in all, by what is chosen. */
export function UsagePage(): ReactNode {
  const [grouping, setGrouping] = useState<UsageGrouping>("agent");
  const [range, setRange] = useState<UsageRange | null>("7 days");
  return (
    <div className="h-full overflow-y-auto">
      <h1 className="sr-only">Usage</h1>
      <div className="flex flex-wrap items-center gap-1.5 border-b border-line px-3 py-1.5">
        <div role="group" aria-label="Time" className="flex flex-wrap gap-1.5">
          {usageRanges.map((one) => (
            <Chip key={one} isOn={one === range} onClick={() => setRange(one)}>
              {one}
            </Chip>
          ))}
          <Chip isOn={range === null} onClick={() => setRange(null)}>
            All sessions that are kept
          </Chip>
        </div>
        <div role="group" aria-label="Grouping" className="ml-auto flex flex-wrap items-center gap-1.5">
          <span className="text-quiet">by</span>
          {usageGroupings.map((one) => (
            <Chip key={one} isOn={one === grouping} onClick={() => setGrouping(one)}>
              {one}
            </Chip>
          ))}
        </div>
      </div>
      {range === null ? <UsageOfAll grouping={grouping} /> : <UsageOverTime range={range} grouping={grouping} />}
    </div>
  );
}
