import { text } from "node:stream/consumers";
import type { CliContext } from "../cli-context.ts";
import { UsageError } from "../usage-error.ts";
import type { Keyboard } from "./keyboard.ts";

/** The source of a conversation's messages. */
export interface MessageSource {
  /** Returns the next message, or null if there are no more. Throws the signal's reason when aborted. */
  next(signal: AbortSignal): Promise<string | null>;
}

/** Creates a source of given messages: one for a run with a prompt, none for following. */
export function createFixedMessages(messages: readonly string[]): MessageSource {
  const remaining = [...messages];
  return { next: () => Promise.resolve(remaining.shift() ?? null) };
}

/** Creates a source of the messages that a person types, until Ctrl-D. Calls `onFirstPrompt` before it asks. */
export function createKeyboardMessages(keyboard: Keyboard, onFirstPrompt: () => void): MessageSource {
  let isFirst = true;
  return {
    async next(signal) {
      if (isFirst) onFirstPrompt();
      isFirst = false;
      for (;;) {
        const draft = keyboard.abandonedText;
        keyboard.abandonedText = "";
        const message = await keyboard.read("> ", { signal, draft, recall: true });
        if (message === null || message.trim() !== "") return message;
      }
    },
  };
}

/**
 * Reads the prompt from the command line, or else from a pipe. Returns null at a terminal, and for an empty pipe. Throws if
 * the words on the command line are empty, as an unset variable is.
 */
export async function readPrompt(words: readonly string[], { input }: CliContext): Promise<string | null> {
  if (words.length > 0) {
    const message = words.join(" ");
    if (message.trim() === "") throw new UsageError("The message is empty.");
    return message;
  }
  if (input.isTTY) return null;
  const pipedText = (await text(input)).trimEnd();
  return pipedText === "" ? null : pipedText;
}
