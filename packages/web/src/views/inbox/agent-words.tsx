import type { ReactNode } from "react";

/** What the agent says of a call: quoted, apart from what Fairlead says. */
export function AgentWords({ words }: { readonly words: string }): ReactNode {
  return (
    <section className="bg-surface px-3.5 py-3">
      <h3 className="text-base text-quiet">What the agent says of it</h3>
      <blockquote className="mt-1 border-l-2 border-line pl-2 break-words whitespace-pre-wrap text-quiet">
        <bdi>“{words}”</bdi>
      </blockquote>
    </section>
  );
}
