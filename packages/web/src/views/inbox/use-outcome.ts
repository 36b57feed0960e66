import { type DecisionView, formatResolution, toOneLine } from "@fairlead/api";
import { useQuery } from "@tanstack/react-query";
import { useFairlead, useOverview } from "../../app/fairlead-context.ts";
import { findPastDecision } from "../../state/inbox/find-past-decision.ts";

/** Says what became of a request that is no longer open, and by whom. Null until that is known. */
export function useOutcome(
  { session, decision }: Pick<DecisionView, "session" | "decision">,
  isClosed: boolean,
): string | null {
  const fairlead = useFairlead();
  const { overview } = useOverview();
  const last = overview.sessions.get(session)?.last;
  const { data, error } = useQuery({
    queryKey: ["outcome", session, decision],
    enabled: isClosed && last !== undefined,
    staleTime: Infinity,
    queryFn: async () => {
      const { resolution } = await findPastDecision(fairlead, session, decision, last ?? 0);
      if (resolution === null) throw new Error("The journal does not say what became of it.");
      return formatResolution(resolution, toOneLine);
    },
  });
  if (!isClosed) return null;
  if (last === undefined) return "No longer open. The page cannot read what became of it.";
  return error === null ? (data ?? null) : error.message;
}
