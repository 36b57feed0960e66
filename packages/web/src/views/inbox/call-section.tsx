import { groupDigits } from "@fairlead/api";
import type { ReactNode, Ref } from "react";
import type { CallReading } from "../../state/inbox/call-reading.ts";
import type { Findings } from "../../state/findings.ts";

interface CallSectionProps {
  readonly reading: CallReading;
  readonly findings: Findings;
  readonly ref: Ref<HTMLDivElement>;
}

/** What a call would do as Fairlead reads it, and what the policy found in it. */
export function CallSection({ reading, findings, ref }: CallSectionProps): ReactNode {
  const { heading, lines, omitted, notes } = reading;
  return (
    <section className="px-3.5 py-3">
      <h3 className="text-base text-quiet" ref={ref}>
        {heading}
      </h3>
      <ol className="mt-1 font-mono text-base whitespace-pre-wrap [overflow-wrap:anywhere]">
        {lines.map((line, at) => (
          // Commands may be the same. They never change places within a request.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={at} className="flex gap-3">
            {lines.length > 1 && (
              <span className="text-quiet select-none" aria-hidden="true">
                {at + 1}
              </span>
            )}
            <bdi className="min-w-0 font-medium">{line}</bdi>
          </li>
        ))}
      </ol>
      {omitted > 0 && <p className="mt-1 text-waits">and {groupDigits(omitted)} more commands, not shown</p>}
      {notes.map((note) => (
        <p key={note} className="mt-1 text-sm break-all text-quiet">
          {note}
        </p>
      ))}
      <ul className="mt-2 flex flex-wrap gap-1.5" aria-label="Found in it">
        {findings.chips.map((chip) => (
          <li key={chip} className="rounded-full border border-line px-2 text-fails">
            {chip}
          </li>
        ))}
        <li className="rounded-full border border-line px-2 text-quiet" title="It does not run before it is allowed.">
          runs only if allowed
        </li>
      </ul>
      {findings.sentences.map((sentence) => (
        <p key={sentence} className="mt-1 text-sm break-words text-quiet">
          {sentence}
        </p>
      ))}
    </section>
  );
}
