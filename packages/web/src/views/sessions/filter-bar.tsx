import { useMemo, useRef, type ReactNode } from "react";
import { Link } from "wouter";
import { useGrant, useScope } from "../../app/fairlead-context.ts";
import { useKeys } from "../../app/keys.ts";
import { Age } from "../../components/age.tsx";
import { Chip } from "../../components/chip.tsx";
import { needLabels, needs } from "../../state/sessions/needs.ts";
import type { SessionCounts } from "../../state/sessions/session-counts.ts";
import { groupings, type Grouping, type SessionFilter } from "../../state/sessions/session-filter.ts";

interface FilterBarProps {
  readonly filter: SessionFilter;
  readonly counts: SessionCounts;
  readonly onChange: (filter: SessionFilter) => void;
}

const groupingLabels: Readonly<Record<Grouping, string>> = {
  need: "need",
  workspace: "workspace",
  agent: "agent",
  family: "who started them",
};

/** Counts by what sessions need, which also filter the list, a search, and how the list is grouped. */
export function FilterBar({ filter, counts, onChange }: FilterBarProps): ReactNode {
  const search = useRef<HTMLInputElement>(null);
  const mayStart = useScope("drive");
  const { isKnown } = useGrant();
  useKeys(useMemo(() => ({ "/": () => search.current?.focus() }), []));
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-1.5 gap-y-1 border-b border-line px-3 py-1.5">
      <div className="flex gap-1.5 max-sm:-mx-3 max-sm:w-screen max-sm:overflow-x-auto max-sm:px-3 sm:contents">
        <Chip isOn={filter.need === null} onClick={() => onChange({ ...filter, need: null })}>
          All {counts.all}
        </Chip>
        {needs.map((need) => (
          <Chip
            key={need}
            isOn={filter.need === need}
            onClick={() => onChange({ ...filter, need: filter.need === need ? null : need })}
          >
            {needLabels[need]}{" "}
            <span className={need === "needs-you" && counts.byNeed[need] > 0 ? "text-waits" : ""}>
              {counts.byNeed[need]}
            </span>
          </Chip>
        ))}
      </div>
      {counts.longestWait !== null && (
        <span className="text-quiet max-md:hidden">
          longest wait <Age since={counts.longestWait} />
        </span>
      )}
      <span className="flex-1 max-sm:hidden" />
      {filter.agent !== null && (
        <ClearButton label={filter.agent} onClick={() => onChange({ ...filter, agent: null })} />
      )}
      {filter.workspace !== null && (
        <ClearButton label={filter.workspace} onClick={() => onChange({ ...filter, workspace: null })} />
      )}
      <input
        ref={search}
        type="search"
        aria-label="Filter sessions"
        placeholder="Filter  /"
        value={filter.text}
        onChange={(event) => onChange({ ...filter, text: event.target.value })}
        onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
        className="h-7 w-40 rounded-md border border-line bg-transparent px-2 max-sm:h-11 max-sm:min-w-0 max-sm:flex-1"
      />
      <label className="flex items-center gap-1 text-quiet">
        <span className="max-sm:sr-only">grouped by</span>
        <select
          value={filter.group}
          onChange={(event) => onChange({ ...filter, group: event.target.value as Grouping })}
          className="h-7 rounded-md border border-line bg-surface px-1 text-ink max-sm:h-11"
        >
          {groupings.map((group) => (
            <option key={group} value={group}>
              {groupingLabels[group]}
            </option>
          ))}
        </select>
      </label>
      {/* It has its place before the service has said who may use it, so that nothing moves then. */}
      {(mayStart || !isKnown) && (
        <Link
          href="/start"
          className={`${mayStart ? "" : "invisible "}inline-flex h-7 items-center rounded-md border border-line bg-raised px-3 hover:border-quiet max-sm:h-11`}
        >
          Start…
        </Link>
      )}
    </div>
  );
}

function ClearButton({ label, onClick }: { readonly label: string; readonly onClick: () => void }): ReactNode {
  return (
    <Chip isOn onClick={onClick} aria-label={`Remove the filter ${label}`}>
      <bdi className="inline-block max-w-40 truncate align-bottom">{label}</bdi> ×
    </Chip>
  );
}
