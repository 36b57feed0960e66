import type { SessionView } from "@fairlead/api";
import { useQuery } from "@tanstack/react-query";
import { useFairlead, useOverview } from "../../app/fairlead-context.ts";

/** The summary of a session: from the overview, or asked for if the overview does not have it, such as an old one. */
export function useSessionView(session: string): SessionView | undefined {
  const fairlead = useFairlead();
  const { overview } = useOverview();
  const known = overview.sessions.get(session);
  const { data } = useQuery({
    queryKey: ["session", session],
    queryFn: () => fairlead.session(session),
    enabled: known === undefined,
  });
  return known ?? data;
}
