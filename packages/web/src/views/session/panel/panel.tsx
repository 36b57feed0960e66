import type { ReactNode } from "react";
import type { LiveSessionState } from "../../../wire/live-session.ts";
import type { SessionTab } from "../session-tabs.tsx";
import { ChangesTab } from "./changes-tab.tsx";
import { FilesTab } from "./files-tab.tsx";
import { PlanTab } from "./plan-tab.tsx";
import { RawTab } from "./raw-tab.tsx";

interface PanelProps {
  readonly session: string;
  readonly tab: SessionTab;
  readonly state: LiveSessionState;
  readonly turn: number | undefined;
  /** The number of the first event of the timeline on the screen. */
  readonly number: number;
  /** Changes when the files of the workspace may have changed. */
  readonly version: string;
}

/** What belongs to the session beside its timeline. */
export function Panel({ session, tab, state, turn, number, version }: PanelProps): ReactNode {
  switch (tab) {
    case "changes":
      return <ChangesTab session={session} turn={turn} version={version} />;
    case "files":
      return <FilesTab session={session} version={version} />;
    case "plan":
      return <PlanTab window={state.window} />;
    case "raw":
      return <RawTab session={session} window={state.window} number={number} />;
    default:
      return null;
  }
}
