import { escapeLine, sanitizeText } from "@fairlead/api";
import type { ReactNode } from "react";
import { OutputBox } from "../../../components/output-box.tsx";
import type {
  FilesRow as Files,
  NoteRow as Note,
  QueuedRow as Queued,
  TurnEndRow as TurnEnd,
  UnrecognizedRow as Unrecognized,
} from "../../../state/timeline/timeline-row.ts";

const tones = {
  quiet: ["·", "text-quiet"],
  waits: ["!", "text-waits"],
  fails: ["✗", "text-fails"],
} as const;

/** A fact of the session in a line. */
export function NoteRow({ row: { tone, text, detail } }: { readonly row: Note }): ReactNode {
  const [sign, color] = tones[tone];
  return (
    <p className="flex gap-2 px-4 py-0.5 text-sm">
      <span className={`w-3 shrink-0 text-center ${color}`} aria-hidden="true">
        {sign}
      </span>
      <span className={`min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere] ${color}`}>
        <bdi>{sanitizeText(text.slice(0, 2000))}</bdi>
        {detail !== null && <span className="text-quiet"> · {sanitizeText(detail)}</span>}
      </span>
    </p>
  );
}

/** A message that waits for its turn. Once the turn has started, its own row has the words. */
export function QueuedRow({ row: { text, state } }: { readonly row: Queued }): ReactNode {
  if (state === "started") return <p className="px-4 py-0.5 pl-9 text-sm text-quiet">A message was queued</p>;
  const isWaiting = state === "waiting";
  return (
    <div
      className={`mx-4 my-1 rounded-md border border-dashed px-3 py-1 ${isWaiting ? "border-line" : "border-fails"}`}
    >
      <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{sanitizeText(text.slice(0, 2000))}</p>
      <p className={`text-sm ${isWaiting ? "text-quiet" : "text-fails"}`}>
        {isWaiting ? "queued until the agent can take it" : `not sent: ${state}. Send it again if it is still wanted.`}
      </p>
    </div>
  );
}

const outcomes = {
  completed: ["", "text-quiet"],
  interrupted: ["Turn interrupted", "text-waits"],
  failed: ["Turn failed", "text-fails"],
  limited: ["A limit ended the turn", "text-waits"],
} as const;

/** The end of a turn. A completed one is only a space. */
export function TurnEndRow({ row: { outcome } }: { readonly row: TurnEnd }): ReactNode {
  const [text, color] = outcomes[outcome];
  if (text === "") return <div className="h-2" aria-label="Turn completed" role="separator" />;
  return <p className={`px-4 py-1 ${color}`}>■ {text}</p>;
}

const maxFiles = 12;

/** Changes of files that no shown call made. Those of a person are told apart from the agent's. */
export function FilesRow({ row: { files } }: { readonly row: Files }): ReactNode {
  return (
    <ul className="px-4 py-0.5 font-mono text-sm">
      {files.slice(0, maxFiles).map(({ path, change, attribution }, index) => (
        <li key={index} className="flex gap-2">
          <span className="w-3 shrink-0 text-center text-quiet" aria-hidden="true">
            ±
          </span>
          <span className="shrink-0">{change}</span>
          <bdi className="truncate text-quiet">{escapeLine(path)}</bdi>
          {attribution === "unknown" && <span className="shrink-0 text-waits">not by a call of this session</span>}
        </li>
      ))}
      {files.length > maxFiles && <li className="pl-5 text-quiet">… {files.length - maxFiles} more files</li>}
    </ul>
  );
}

/** Output of the agent that no code recognized. Nothing is left out. */
export function UnrecognizedRow({ row: { reason, raw } }: { readonly row: Unrecognized }): ReactNode {
  return (
    <div className="px-4 py-0.5 text-sm">
      <p className="pl-5 text-quiet">Unrecognized output: {sanitizeText(reason)}</p>
      <div className="pl-5">
        <OutputBox text={raw} lines={2} />
      </div>
    </div>
  );
}
