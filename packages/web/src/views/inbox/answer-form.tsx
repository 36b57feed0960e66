import type { AnswerChoices } from "@fairlead/api";
import { escapeLine } from "@fairlead/api";
import type { ReactNode } from "react";
import type { AnswerDraft, ChosenScope } from "../../state/inbox/answer-draft.ts";

interface AnswerFormProps {
  readonly draft: AnswerDraft;
  readonly choices: AnswerChoices;
  readonly onChange: (draft: AnswerDraft) => void;
}

/** The form of an answer that needs more than a button. It takes the place of the card's text. */
export function AnswerForm({ draft, choices, onChange }: AnswerFormProps): ReactNode {
  if (draft.mode === "scope") return <ScopeForm draft={draft} choices={choices} onChange={onChange} />;
  const isEdit = draft.mode === "edit";
  const text = isEdit ? draft.input : draft.words;
  return (
    <label className="flex flex-col gap-2 px-3.5 py-3">
      <span className="text-base text-quiet">
        {isEdit ? "The input as JSON. The call runs with what is written here" : "Your words to the agent"}
      </span>
      <textarea
        className="field-sizing-content max-h-80 min-h-32 resize-none rounded-md border border-line bg-surface p-2 font-mono text-base max-sm:text-lg"
        // A person who opens the form wants to type.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        spellCheck={!isEdit}
        value={text}
        onChange={(event) => onChange({ ...draft, [isEdit ? "input" : "words"]: event.target.value })}
      />
      {isEdit && !isJson(text) && <span className="text-fails">This is not valid JSON.</span>}
    </label>
  );
}

function ScopeForm({ draft, choices, onChange }: AnswerFormProps): ReactNode {
  const granted = choices.grants.join(" and ");
  const scopes: { readonly scope: ChosenScope; readonly label: string; readonly detail: string }[] = [
    ...(choices.grants.length === 0
      ? []
      : ([
          { scope: { type: "session" }, label: "For this session", detail: granted },
          { scope: { type: "rule" }, label: "From now on, as a rule of your policy", detail: granted },
        ] as const)),
    ...choices.options.map(({ id, label, scope }) => ({
      scope: { type: "option", id } as const,
      label: `The agent offers: ${escapeLine(label)}`,
      detail: scope === undefined ? "" : `the agent remembers it: ${scope}`,
    })),
  ];
  return (
    <fieldset className="px-3.5 py-3">
      <legend className="float-left w-full text-base text-quiet">Allow more than this call</legend>
      <div className="clear-both flex flex-col gap-2 pt-2">
        {scopes.map(({ scope, label, detail }) => (
          <label
            key={keyOf(scope)}
            className="flex min-h-8 cursor-pointer items-start gap-2 rounded-md border border-line px-3 py-1 has-checked:border-accent max-sm:min-h-11 max-sm:py-2.5"
          >
            <input
              type="radio"
              name="scope"
              className="mt-1 accent-accent"
              checked={draft.scope !== null && keyOf(draft.scope) === keyOf(scope)}
              onChange={() => onChange({ ...draft, scope })}
            />
            <span className="min-w-0 break-words">
              <bdi>{label}</bdi>
              {detail !== "" && <bdi className="block font-mono text-sm break-all text-quiet">{detail}</bdi>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function keyOf(scope: ChosenScope): string {
  return scope.type === "option" ? `option ${scope.id}` : scope.type;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
