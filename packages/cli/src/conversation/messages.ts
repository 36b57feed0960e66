import type { Keyboard } from "./keyboard.ts";

/** Where the messages of a conversation come from. */
export interface Messages {
  /** The next one, or null when there are no more. Aborting takes the wait back; the signal's reason is thrown. */
  next(signal: AbortSignal): Promise<string | null>;
}

/** The messages that are there already: one for a one-prompt run, none for looking on. */
export function givenMessages(texts: readonly string[]): Messages {
  const left = [...texts];
  return { next: () => Promise.resolve(left.shift() ?? null) };
}

/** Messages that a person types, until Ctrl-D. */
export function typedMessages(keyboard: Keyboard): Messages {
  return {
    async next(signal) {
      for (;;) {
        const draft = keyboard.abandoned;
        keyboard.abandoned = "";
        const text = await keyboard.read("> ", { signal, draft, recall: true });
        if (text === null || text.trim() !== "") return text;
      }
    },
  };
}
