import { type DecisionView, escapeLine, type SessionView } from "@fairlead/api";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Age } from "../../components/age.tsx";
import { FolderPath } from "../../components/folder-path.tsx";
import { folderOf } from "../../state/sessions/session-filter.ts";
import { sessionNameOf } from "../../state/sessions/session-name.ts";
import { shortenFolder } from "../../state/shorten-folder.ts";
import { Deadline } from "./deadline.tsx";
import { KeyMark } from "./key-mark.tsx";
import type { CardKeys } from "./use-key-target.ts";

interface CardHeadProps {
  readonly view: DecisionView;
  readonly session: SessionView | null;
  /** Whether the card is among other facts of its session, which say whose it is. */
  readonly isEmbedded: boolean;
  readonly isOpen: boolean;
  readonly keys: CardKeys;
}

/** Who asks, where and since when. */
export function CardHead({ view, session, isEmbedded, isOpen, keys }: CardHeadProps): ReactNode {
  const isOfRun = session === null && view.agent === "foreman";
  if (isEmbedded) {
    return (
      <header className="flex items-start justify-between gap-3 px-3.5 py-2">
        <p className="min-w-0">
          {isOpen ? <span className="text-waits">Waits for you</span> : "Request"}
          <span className="text-quiet">
            {" "}
            · <Age since={view.since} /> · <Deadline deadline={view.deadline ?? null} isOfRun={isOfRun} />
          </span>
        </p>
        <KeyMark keys={keys} />
      </header>
    );
  }
  return (
    <header className="px-3.5 py-3">
      <p className="truncate">
        <Link href={`/s/${view.session}`} className="font-medium hover:underline">
          <bdi>{sessionNameOf(session, view.session)}</bdi>
        </Link>
        <span className="text-quiet">
          {" · "}
          <bdi>{session?.label ?? view.agent}</bdi>
        </span>
      </p>
      <p className="flex text-base text-quiet">
        {session !== null && (
          <FolderPath folder={shortenFolder(folderOf(session))} title={escapeLine(folderOf(session))} />
        )}
        <span className="shrink-0 whitespace-pre">
          {session !== null && " · "}
          asked <Age since={view.since} /> ago · <Deadline deadline={view.deadline ?? null} isOfRun={isOfRun} />
        </span>
      </p>
    </header>
  );
}
