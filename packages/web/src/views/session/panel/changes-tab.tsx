import { type DiffQuery, escapeLine } from "@fairlead/api";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState, type ReactNode } from "react";
import { useFairlead } from "../../../app/fairlead-context.ts";
import { Chip } from "../../../components/chip.tsx";
import { Loading } from "../../../components/loading.tsx";
import { ProblemText } from "../../../components/problem-text.tsx";
import { PatchList } from "./patch-list.tsx";

interface ChangesTabProps {
  readonly session: string;
  /** The turn on the screen, or undefined before one is known. */
  readonly turn: number | undefined;
  /** Changes when the patch may have changed. */
  readonly version: string;
}

type Range = "turn" | "start" | "commit";

/** What changed in the workspace: in one turn, since the session started, or since the last commit. */
export function ChangesTab({ session, turn, version }: ChangesTabProps): ReactNode {
  const fairlead = useFairlead();
  const [chosen, setRange] = useState<Range>("start");
  const range = chosen === "turn" && turn === undefined ? "start" : chosen;
  const query: DiffQuery =
    range === "turn" && turn !== undefined ? { turn } : range === "commit" ? { since: range } : {};
  const rangeKey = range === "turn" ? `turn ${turn}` : range;
  const { data, error, isPending } = useQuery({
    queryKey: ["diff", session, rangeKey, version],
    queryFn: () => fairlead.diff(session, query),
    placeholderData: (before, earlier) => (earlier?.queryKey[2] === rangeKey ? before : undefined),
  });
  const { data: files } = useQuery({
    queryKey: ["files", session, version],
    queryFn: () => fairlead.files(session),
    // The service reads all events for it.
    enabled: data !== undefined && data.patch !== "",
    placeholderData: (before) => before,
  });
  const foreign = useMemo(
    () => new Set((files ?? []).flatMap(({ path, attribution }) => (attribution === "unknown" ? [path] : []))),
    [files],
  );
  return (
    <div className="flex h-full flex-col">
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3 py-1">
        {turn !== undefined && (
          <Chip isOn={range === "turn"} onClick={() => setRange("turn")}>
            Turn {turn}
          </Chip>
        )}
        <Chip isOn={range === "start"} onClick={() => setRange("start")}>
          Since start
        </Chip>
        <Chip isOn={range === "commit"} onClick={() => setRange("commit")}>
          Since commit
        </Chip>
        {data?.base !== null && data?.base !== undefined && (
          <span className="ml-auto truncate text-xs text-quiet">against {data.base.slice(0, 10)}</span>
        )}
      </div>
      {error !== null && (
        <div className="p-3">
          <ProblemText error={error} />
        </div>
      )}
      {error === null && isPending && <Loading what="changes" />}
      {error === null && !isPending && data?.patch === "" && <p className="p-3 text-quiet">Nothing changed.</p>}
      {error === null && range === "commit" && data?.base === null && (
        <p className="shrink-0 border-b border-line p-2 text-waits">
          The repository has no commit yet. These are all files that it does not ignore.
        </p>
      )}
      {error === null && data !== undefined && data.patch !== "" && <PatchList patch={data.patch} foreign={foreign} />}
      {data?.truncated === true && (
        <p className="shrink-0 border-t border-line p-2 text-waits">The patch was too long and is cut.</p>
      )}
      {data?.omitted !== undefined && data.omitted.length > 0 && (
        <p className="shrink-0 truncate border-t border-line p-2 text-waits">
          Too large to be kept: {data.omitted.map(escapeLine).join(", ")}
        </p>
      )}
    </div>
  );
}
