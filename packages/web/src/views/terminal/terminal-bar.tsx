import type { SessionView } from "@fairlead/api";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { TerminalState } from "../../state/terminal/terminal-state.ts";

interface TerminalBarProps {
  readonly view: SessionView;
  readonly role: "lead" | "watch";
  readonly state: TerminalState;
  readonly children: ReactNode;
}

/** Whose terminal this is, whether it is connected, and the way back to the agent, which is always visible. */
export function TerminalBar({ view, role, state, children }: TerminalBarProps): ReactNode {
  const { size, pending } = state;
  const [color, text] = describeStatus(state, role);
  return (
    <div className="flex min-h-10 shrink-0 items-center gap-3 border-b border-line px-3 py-1">
      <Link href={`/s/${view.session}`} className="min-w-0 truncate font-medium hover:underline">
        <bdi>{view.name ?? view.session}</bdi>
      </Link>
      <span className="flex items-center gap-2 whitespace-nowrap text-quiet" data-terminal={state.status.type}>
        <i className={`size-2 rounded-full ${color}`} aria-hidden="true" />
        <span role="status">{text}</span>
      </span>
      <span className="truncate text-quiet max-sm:hidden">
        <bdi>{view.label}</bdi>
        {size !== null && ` · ${size.columns} × ${size.rows}`}
      </span>
      {pending > 0 && (
        <span className="whitespace-nowrap text-waits" data-pending={pending}>
          {pending === 1 ? "1 key" : `${pending} keys`} on the way
        </span>
      )}
      <span className="flex-1" />
      {children}
    </div>
  );
}

function describeStatus({ status }: TerminalState, role: "lead" | "watch"): readonly [color: string, text: string] {
  switch (status.type) {
    case "opening":
      return ["bg-quiet", "opening"];
    case "open":
      return role === "lead" ? ["bg-waits", "you lead"] : ["bg-accent", "watching"];
    case "lost":
      return ["bg-fails", "not connected, trying again"];
    case "handed-back":
      return ["bg-good", "the agent leads"];
    case "ended":
      return ["border border-quiet", "ended"];
    case "refused":
      return ["bg-fails", "refused"];
  }
}
