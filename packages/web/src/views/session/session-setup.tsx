import { escapeLine, type SessionView, toOneLine } from "@fairlead/api";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useOverview } from "../../app/fairlead-context.ts";
import { shortenFolder } from "../../state/shorten-folder.ts";

/** What the session runs with, in a line of its own: beside the commands it would be cut. */
export function SessionSetup({ view }: { readonly view: SessionView }): ReactNode {
  const { overview } = useOverview();
  const { label, model, mode, sandbox, copy, workspace, continues } = view;
  const folder = shortenFolder(escapeLine(copy?.workspace ?? workspace));
  const facts = [
    label,
    mode,
    sandbox.kind === "none" ? "no sandbox" : sandbox.kind,
    model === null ? null : toOneLine(model),
  ].filter((fact) => fact !== null);
  const earlier = continues === null ? undefined : overview.sessions.get(continues);
  return (
    <div className="flex gap-x-1 px-4 pb-1 text-sm whitespace-nowrap text-quiet max-sm:flex-wrap">
      <p className="min-w-0 truncate max-sm:whitespace-normal">
        {facts.join(" · ")} · <span title={escapeLine(workspace)}>{folder}</span>
        {copy !== undefined && ` @ ${copy.branch}`}
      </p>
      {continues !== null && (
        <p className="min-w-0 shrink-[4] truncate">
          · continues{" "}
          <Link href={`/s/${continues}`} className="underline hover:text-ink">
            <bdi>{toOneLine(earlier?.name ?? earlier?.title ?? "") || continues}</bdi>
          </Link>
        </p>
      )}
    </div>
  );
}
