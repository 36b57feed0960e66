import type { DecisionView } from "@fairlead/api";
import type { Answer } from "@fairlead/contract";
import { type ReactNode, useMemo } from "react";
import { useKeys } from "../../app/keys.ts";
import { Button } from "../../components/button.tsx";
import { KeyHint } from "../../components/key-hint.tsx";
import {
  type AnswerDraft,
  createAnswerDraft,
  denial,
  readDraft,
  startEditing,
} from "../../state/inbox/answer-draft.ts";
import type { DecisionCard } from "../../state/inbox/decision-card.ts";
import type { ArmedControls } from "./use-arming.ts";
import type { CardKeys } from "./use-key-target.ts";

interface AnswerBarProps {
  readonly view: DecisionView;
  readonly card: DecisionCard;
  readonly draft: AnswerDraft;
  readonly armed: ArmedControls;
  readonly keys: CardKeys;
  readonly onDraft: (draft: AnswerDraft) => void;
  readonly onAnswer: (answer: Answer) => void;
}

/** The answers to a request. Its size depends on which answers there are, not on what the agent wrote. */
export function AnswerBar({ view, card, draft, armed, keys, onDraft, onAnswer }: AnswerBarProps): ReactNode {
  const { choices, notShown } = card;
  const main = readDraft(view, draft);
  const { guard, runByKey } = armed;
  const { hasKeys, isReady } = keys;
  const isQuestion = card.kind === "question";
  const isAsking = draft.mode === "ask";
  const set = (mode: AnswerDraft["mode"]): void => onDraft({ ...draft, mode });
  useKeys(
    useMemo(() => {
      if (!hasKeys || !isAsking || isQuestion) return {};
      const bind = (action: () => void) => (event: KeyboardEvent) => isReady() && runByKey(event, action);
      return {
        y: bind(() => main !== null && onAnswer(main)),
        n: bind(() => onAnswer(denial(view, false))),
        s: bind(() => onAnswer(denial(view, true))),
        ...(choices.canEdit && { e: bind(() => onDraft(startEditing(view, draft))) }),
      };
    }, [hasKeys, isReady, isAsking, isQuestion, choices.canEdit, runByKey, main, onAnswer, onDraft, draft, view]),
  );
  const dim = armed.isReady ? "" : "opacity-50";
  return (
    <div
      ref={armed.controls}
      // The marks of keys keep their room while the card does not have the keys: the buttons must not move.
      className="px-3.5 pt-1 pb-2 max-sm:pb-1 data-[keys=false]:[&_kbd]:invisible"
      data-armed={armed.isReady}
      data-keys={hasKeys}
    >
      <p className="h-5 truncate text-sm text-waits max-sm:h-6">
        {armed.isUnread
          ? "Scroll up and read it first"
          : (notShown ?? (armed.isReady ? "" : <span className="text-quiet">Read it first</span>))}
      </p>
      <div className="grid grid-cols-2 gap-2.5">
        {isAsking ? (
          <Button
            className={`max-sm:min-h-12 ${dim}`}
            {...(!isQuestion && { hint: "n" })}
            {...guard(() => onAnswer(denial(view, false)))}
          >
            {isQuestion ? "Decline" : "Deny"}
          </Button>
        ) : (
          <Button
            className="max-sm:min-h-12"
            onClick={() => onDraft({ ...createAnswerDraft(view), questions: draft.questions })}
          >
            Back
          </Button>
        )}
        <Button
          kind={draft.mode === "words" ? "danger" : "primary"}
          className={`max-sm:min-h-12 max-sm:px-1 max-sm:whitespace-normal ${dim}`}
          {...(isAsking && !isQuestion && { hint: "y" })}
          disabled={main === null}
          {...guard(() => main !== null && onAnswer(main))}
        >
          {nameMain(draft, isQuestion)}
        </Button>
      </div>
      <div className="-mx-1 mt-2 flex min-h-8 flex-wrap gap-x-1 text-base text-quiet max-sm:mt-1 max-sm:min-h-11 max-sm:justify-between">
        {isAsking && (
          <>
            {choices.canExplain && <Small onClick={() => set("words")}>Say why…</Small>}
            {!isQuestion && choices.grants.length + choices.options.length > 0 && (
              <Small onClick={() => set("scope")}>Allow for…</Small>
            )}
            {!isQuestion && choices.canEdit && (
              <Small onClick={() => onDraft(startEditing(view, draft))}>
                Edit… <KeyHint keys="e" />
              </Small>
            )}
            <Small {...guard(() => onAnswer(denial(view, true)))}>
              Deny and stop {!isQuestion && <KeyHint keys="s" />}
            </Small>
          </>
        )}
      </div>
    </div>
  );
}

function nameMain({ mode, scope }: AnswerDraft, isQuestion: boolean): string {
  if (mode === "words") return "Deny with these words";
  if (mode === "edit") return "Allow with changes";
  if (mode === "scope") return scope?.type === "rule" ? "Allow from now on" : "Allow";
  return isQuestion ? "Answer" : "Allow once";
}

function Small(props: React.ComponentProps<"button">): ReactNode {
  return (
    <button
      type="button"
      className="min-h-8 shrink-0 rounded-md px-1 whitespace-nowrap hover:text-ink aria-disabled:opacity-50 max-sm:min-h-11"
      {...props}
    />
  );
}
