import type { SessionView } from "@fairlead/api";
import { useMutation } from "@tanstack/react-query";
import { useId, useMemo, type KeyboardEvent, type ReactNode } from "react";
import { useLocation } from "wouter";
import { useFairlead, useGrant } from "../../app/fairlead-context.ts";
import { Button } from "../../components/button.tsx";
import { ProblemText } from "../../components/problem-text.tsx";
import { composerStateOf, goneState, removeSent, type SendWay } from "../../state/composer.ts";
import { RepeatKey } from "../../state/repeat-key.ts";
import { useDraft } from "./use-draft.ts";
import { UsageLine } from "./usage-line.tsx";

interface ComposerProps {
  readonly view: SessionView;
  /** Whether the session no longer exists. An unsent text stays readable. */
  readonly isGone: boolean;
}

/** The field for messages. It says what will happen to the text before it is sent. */
export function Composer({ view, isGone }: ComposerProps): ReactNode {
  const fairlead = useFairlead();
  const { scopes, isKnown } = useGrant();
  const [, navigate] = useLocation();
  const [draft, setDraft] = useDraft(view.session);
  const keys = useMemo(() => new RepeatKey(sessionStorage, `fairlead.key.${view.session}`), [view.session]);
  const promiseId = useId();
  const state = isGone ? goneState : composerStateOf(view, scopes, isKnown);
  const { mutate, isPending, error } = useMutation({
    // The key is that of the text, so that neither a retry of the client nor one of the person sends it twice.
    mutationFn: async ({ way, text, key }: { way: SendWay; text: string; key: string }) => {
      if (state.type === "ready" && state.continues) {
        const { session } = await fairlead.resume(view.session, {}, { key: `${key}-resume` });
        await fairlead.send(session, text, { key });
        return session;
      }
      await fairlead[way](view.session, text, { key });
      return view.session;
    },
    onSettled: (_, error) => keys.settle(error),
    onSuccess: (session, { text }) => {
      setDraft((before) => removeSent(before, text));
      if (session !== view.session) navigate(`/s/${session}`);
    },
  });
  const isReady = state.type === "ready" && draft.trim() !== "" && !isPending;
  const send = (way: SendWay): void => {
    if (isReady) mutate({ way, text: draft, key: keys.keyFor(JSON.stringify([way, draft])) });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.nativeEvent.isComposing || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    send("send");
  };
  return (
    <form
      className="flex shrink-0 flex-col gap-2 border-t border-line px-4 pt-2 pb-3"
      onSubmit={(event) => {
        event.preventDefault();
        send("send");
      }}
    >
      {error !== null && <ProblemText error={error} />}
      <textarea
        aria-label="Message to the agent"
        aria-describedby={promiseId}
        className="field-sizing-content max-h-60 min-h-12 w-full resize-none rounded-lg border border-line bg-raised px-3 py-2 placeholder:text-quiet disabled:opacity-60 max-sm:text-lg"
        placeholder={state.type === "ready" ? "Say something…" : ""}
        disabled={state.type === "disabled"}
        value={draft}
        onChange={({ target }) => setDraft(() => target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1 text-quiet">
        <span id={promiseId}>{state.type === "ready" ? state.promise : state.reason}</span>
        {state.type === "ready" &&
          state.ways.slice(1).map(({ way, label }) => (
            <button
              key={way}
              type="button"
              className="underline hover:text-ink disabled:opacity-50 max-sm:min-h-11 max-sm:disabled:hidden"
              disabled={!isReady}
              onClick={() => send(way)}
            >
              {label}
            </button>
          ))}
        <span className="flex-1" />
        <UsageLine view={view} />
        {state.type === "ready" && (
          <Button
            type="submit"
            kind={isReady ? "primary" : "plain"}
            disabled={!isReady}
            hint="Ctrl ↵"
            className="ml-auto"
          >
            {state.ways[0]?.label}
          </Button>
        )}
      </div>
    </form>
  );
}
