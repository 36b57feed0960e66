import type { ReactNode } from "react";
import { Link } from "wouter";
import { useScope } from "../../app/fairlead-context.ts";
import { CopyableCommand } from "../../components/copyable-command.tsx";

/** What to do while there is no session. */
export function NoSessions(): ReactNode {
  const mayStart = useScope("drive");
  return (
    <div className="mx-auto flex max-w-120 flex-col gap-4 px-4 pt-16">
      <h1 className="text-lg font-bold">No sessions yet</h1>
      <p className="text-quiet">
        Start one in a terminal, in the folder that the agent should work in. The scripted agent needs no account.
      </p>
      <CopyableCommand command={'fairlead run scripted "Say hello"'} />
      <CopyableCommand command={"fairlead doctor"} />
      {mayStart && (
        <Link
          href="/start"
          className="self-start text-accent underline max-sm:flex max-sm:min-h-11 max-sm:items-center"
        >
          Start one here
        </Link>
      )}
    </div>
  );
}
