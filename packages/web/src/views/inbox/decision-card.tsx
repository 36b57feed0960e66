import type { DecisionView, SessionView } from "@fairlead/api";
import type { Answer } from "@fairlead/contract";
import { type ReactNode, useMemo, useState } from "react";
import { CopyableCommand } from "../../components/copyable-command.tsx";
import { createAnswerDraft, draftFor } from "../../state/inbox/answer-draft.ts";
import type { CardStatus } from "../../state/inbox/card-status.ts";
import { buildCard } from "../../state/inbox/decision-card.ts";
import { emptyQuestionDraft } from "../../state/inbox/question-draft.ts";
import { sessionNameOf } from "../../state/sessions/session-name.ts";
import { AgentWords } from "./agent-words.tsx";
import { AnswerBar } from "./answer-bar.tsx";
import { AnswerForm } from "./answer-form.tsx";
import { CallSection } from "./call-section.tsx";
import { CardHead } from "./card-head.tsx";
import { CardOutcome } from "./card-outcome.tsx";
import { InputSection } from "./input-section.tsx";
import { QuestionSection } from "./question-section.tsx";
import { useArming } from "./use-arming.ts";
import { useKeyTarget } from "./use-key-target.ts";

export interface DecisionCardProps {
  readonly view: DecisionView;
  /** The session that asks; null for a run. */
  readonly session: SessionView | null;
  readonly status: CardStatus;
  /** Whether the token of the page may answer; null until the service has said so. */
  readonly canAnswer: boolean | null;
  readonly onAnswer: (answer: Answer) => void;
  readonly onWithdraw: () => void;
  /** Leaves a closed card. Null where there is nothing to go to. */
  readonly onLeave?: (() => void) | null;
  /** Whether the card is among other facts of its session. Default: no. */
  readonly isEmbedded?: boolean;
  /** More about the session, below the request. */
  readonly children?: ReactNode;
}

/**
 * A request with everything that a person needs to decide it. On a phone its height is fixed and the text scrolls in it, so
 * that the buttons are always at the same place. Among other facts of its session, it scrolls with them: two regions that
 * scroll, one in the other, would leave a small window no way to the beginning of the request.
 */
export function DecisionCard(props: DecisionCardProps): ReactNode {
  const {
    view,
    session,
    status,
    canAnswer,
    onAnswer,
    onWithdraw,
    onLeave = null,
    isEmbedded = false,
    children,
  } = props;
  const [prepared, setDraft] = useState(() => createAnswerDraft(view));
  const draft = draftFor(view, prepared);
  const [fullDigest, setFullDigest] = useState<string | null>(null);
  const isFull = fullDigest === view.digest;
  const capabilities = session?.capabilities;
  const card = useMemo(
    () => buildCard(view, { capabilities: capabilities ?? [], isFull }),
    [view, capabilities, isFull],
  );
  const isOpen = status.type === "open";
  const content = JSON.stringify([view.session, view.digest, isFull, draft.mode, status.type]);
  const armed = useArming(content, isOpen);
  const keys = useKeyTarget(isOpen && canAnswer === true);
  const hasForm = draft.mode !== "ask" && isOpen;
  const { reading, findings, words, fields, questions, tool } = card;
  return (
    <article
      aria-label={`Request of ${sessionNameOf(session, view.session)}`}
      data-decision={view.decision}
      data-status={status.type}
      onFocus={keys.choose}
      onPointerDown={keys.choose}
      className={`flex flex-col divide-y divide-line overflow-hidden rounded-lg border bg-raised max-sm:text-lg ${isEmbedded ? "shrink-0" : "max-h-[80dvh] max-sm:h-[min(35rem,100dvh-9.5rem)]"} ${isEmbedded && isOpen ? "border-waits" : "border-line"} ${keys.isShown && keys.hasKeys ? "ring-2 ring-accent pointer-coarse:ring-0" : ""}`}
    >
      <CardHead view={view} session={session} isEmbedded={isEmbedded} isOpen={isOpen} keys={keys} />
      {card.replaces && (
        <p className="px-3.5 py-2 text-waits">
          An earlier request was withdrawn and this one is in its place. Read this one.
        </p>
      )}
      <div
        className={`flex flex-col divide-y divide-line ${isEmbedded ? "" : "min-h-0 flex-1 overflow-y-auto overscroll-contain"}`}
        tabIndex={-1}
      >
        {hasForm && (
          // Embedded, the form is beside the buttons below it.
          <div ref={armed.subject} className={isEmbedded ? "order-last" : ""}>
            <AnswerForm draft={draft} choices={card.choices} onChange={setDraft} />
          </div>
        )}
        {/* The request stays readable beside the form. It cannot be changed meanwhile. */}
        <div className="divide-y divide-line" inert={hasForm}>
          {reading !== null && (
            <CallSection reading={reading} findings={findings} ref={hasForm ? null : armed.subject} />
          )}
          {questions.map((question, at) => (
            <QuestionSection
              key={question.text}
              question={question}
              ref={at === 0 && !hasForm ? armed.subject : null}
              draft={draft.questions[at] ?? emptyQuestionDraft}
              onChange={(changed) =>
                setDraft({
                  ...draft,
                  questions: questions.map((_, one) =>
                    one === at ? changed : (draft.questions[one] ?? emptyQuestionDraft),
                  ),
                })
              }
            />
          ))}
          {words !== null && <AgentWords words={words} />}
          {fields.length > 0 && (
            <InputSection tool={tool} fields={fields} isFull={isFull} onShowAll={() => setFullDigest(view.digest)} />
          )}
          {children}
        </div>
      </div>
      {isOpen && canAnswer === true && (
        <AnswerBar
          view={view}
          card={card}
          draft={draft}
          armed={armed}
          keys={keys}
          onDraft={setDraft}
          onAnswer={onAnswer}
        />
      )}
      {isOpen && canAnswer === null && (
        <p className="px-3.5 py-3 text-quiet">The service has not said yet whether this page may answer.</p>
      )}
      {isOpen && canAnswer === false && (
        <div className="flex flex-col gap-2 px-3.5 py-3">
          <p>The access of this page lacks the scope approve, so it cannot answer. Open one that can:</p>
          <CopyableCommand command={`fairlead open ${view.session}`} />
        </div>
      )}
      {status.type !== "open" && <CardOutcome status={status} onWithdraw={onWithdraw} onLeave={onLeave} />}
    </article>
  );
}
