import { text } from "node:stream/consumers";
import { maxBodyBytes } from "@fairlead/api";
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
 * the words on the command line are empty, as an unset variable is, or if the message is too large for the daemon.
 */
export async function readPrompt(words: readonly string[], { input }: CliContext): Promise<string | null> {
  if (words.length > 0) {
    const message = words.join(" ");
    if (message.trim() === "") throw new UsageError("The message is empty.");
    return assertFits(message);
  }
  if (input.isTTY) return null;
  const pipedText = (await text(input)).trimEnd();
  return pipedText === "" ? null : assertFits(pipedText);
}

/** The largest message, in bytes of JSON. The rest of a request's body is for its other fields. */
const maxMessageBytes = maxBodyBytes - 48_576;

/** Refuses a message that the daemon would refuse, before a session is started for it. */
function assertFits(message: string): string {
  const size = Buffer.byteLength(JSON.stringify(message));
  if (size <= maxMessageBytes) return message;
  throw new UsageError(
    `The message has ${size} bytes as JSON; the limit is ${maxMessageBytes}. Write it to a file in the workspace, and name the file in the message.`,
  );
}
