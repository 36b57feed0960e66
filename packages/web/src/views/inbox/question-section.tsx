import { escapeLine } from "@fairlead/api";
import { escapeInvisible, type Question } from "@fairlead/contract";
import type { ReactNode, Ref } from "react";
import type { QuestionDraft } from "../../state/inbox/question-draft.ts";

interface QuestionSectionProps {
  readonly question: Question;
  readonly draft: QuestionDraft;
  readonly onChange: (draft: QuestionDraft) => void;
  readonly ref: Ref<HTMLDivElement> | null;
}

/** A question with its options and a field for an answer in words. */
export function QuestionSection({ question, draft, onChange, ref }: QuestionSectionProps): ReactNode {
  const { text, options, multiSelect } = question;
  const toggle = (label: string): void => {
    const others = multiSelect ? draft.labels.filter((one) => one !== label) : [];
    onChange({ labels: draft.labels.includes(label) ? others : [...others, label], words: "" });
  };
  return (
    <fieldset className="px-3.5 py-3">
      <legend className="float-left w-full">
        <span className="block text-base text-quiet" ref={ref}>
          The agent asks
        </span>
        <bdi className="block break-words whitespace-pre-wrap">{escapeInvisible(text)}</bdi>
      </legend>
      <div className="clear-both flex flex-col gap-2 pt-2">
        {options.map(({ label, description }) => (
          <label
            key={label}
            className="flex min-h-8 cursor-pointer items-start gap-2 rounded-md border border-line px-3 py-1 has-checked:border-accent max-sm:min-h-11 max-sm:py-2.5"
          >
            <input
              type={multiSelect ? "checkbox" : "radio"}
              className="mt-1 accent-accent"
              checked={draft.labels.includes(label)}
              onChange={() => toggle(label)}
            />
            <span className="min-w-0 break-words">
              <bdi>{escapeLine(label)}</bdi>
              {description !== undefined && <bdi className="block text-base text-quiet">{escapeLine(description)}</bdi>}
            </span>
          </label>
        ))}
        <input
          type="text"
          className="min-h-8 rounded-md border border-line bg-surface px-3 max-sm:min-h-11"
          placeholder={options.length === 0 ? "Your answer" : "Or in your own words"}
          aria-label="Your own words"
          value={draft.words}
          onChange={(event) => onChange({ labels: [], words: event.target.value })}
        />
      </div>
    </fieldset>
  );
}
