import type { SessionView } from "@fairlead/api";
import { useMutation } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useLocation } from "wouter";
import { useFairlead, useGrant } from "../../app/fairlead-context.ts";
import { Menu } from "../../components/menu.tsx";
import { ProblemText } from "../../components/problem-text.tsx";
import { type SessionAction, sessionActions } from "../../state/sessions/session-actions.ts";
import { sessionNameOf } from "../../state/sessions/session-name.ts";
import { saveExport } from "./save-export.ts";
import { StopPrompt } from "./stop-prompt.tsx";

const labels: Readonly<Record<SessionAction, string>> = {
  resume: "Resume",
  fork: "Fork",
  pause: "Pause",
  bring: "Bring the branch",
  stop: "Stop",
  "take-over": "Take over",
  replay: "Replay",
  export: "Export as Markdown",
};

/** The rarer commands on a session. */
export function SessionMenu({ view }: { readonly view: SessionView }): ReactNode {
  const fairlead = useFairlead();
  const { scopes } = useGrant();
  const [, navigate] = useLocation();
  const [isStopping, setIsStopping] = useState(false);
  const { mutate, error, isPending, data } = useMutation({
    mutationFn: async (action: SessionAction): Promise<string | null> => {
      const { session } = view;
      if (action === "pause") await fairlead.pause(session);
      else if (action === "stop") await fairlead.stop(session);
      else if (action === "bring") return `Brought as the branch ${(await fairlead.bring(session)).branch}.`;
      else if (action === "take-over") navigate(`/s/${session}/terminal`);
      else if (action === "replay") navigate(`/s/${session}/replay`);
      else if (action === "export") await saveExport(fairlead, view);
      else {
        const next = action === "fork" ? await fairlead.fork(session) : await fairlead.resume(session);
        if (next.session !== session) navigate(`/s/${next.session}`);
      }
      return null;
    },
  });
  const entries = sessionActions(view, scopes).map((action) => ({
    label: labels[action],
    ...(action === "stop" && { tone: "fails" as const }),
    onChoose: () => (action === "stop" ? setIsStopping(true) : mutate(action)),
  }));
  return (
    <>
      <Menu label="More commands" entries={entries} disabled={isPending} />
      {isStopping && (
        <StopPrompt
          name={sessionNameOf(view, view.session)}
          canContinue={view.capabilities.includes("resume")}
          onStop={() => mutate("stop")}
          onClose={() => setIsStopping(false)}
        />
      )}
      {error !== null && (
        <div className="absolute top-24 right-4 z-10 bg-surface">
          <ProblemText error={error} />
        </div>
      )}
      {typeof data === "string" && <span className="text-good">{data}</span>}
    </>
  );
}
