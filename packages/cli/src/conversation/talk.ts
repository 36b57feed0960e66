import type { Runtime, Session } from "@fairlead/runtime";
import { Transcript } from "../render/transcript.ts";
import type { Surroundings } from "../surroundings.ts";
import { absentAnswerer } from "./answerer.ts";
import { AskingAnswerer } from "./asking-answerer.ts";
import { Conversation } from "./conversation.ts";
import type { Interrupts } from "./interrupts.ts";
import { Keyboard } from "./keyboard.ts";
import { givenMessages, typedMessages } from "./messages.ts";

export interface TalkOptions {
  readonly runtime: Runtime;
  readonly session: Session;
  /** Show what comes after this number. */
  readonly after: number;
  /** The one message to send; null for those that a person types, or for looking on where there is no person. */
  readonly prompt: string | null;
  readonly json: boolean;
  readonly interrupts: Interrupts;
}

/** Holds a conversation on this screen, for `run` and `resume`, and gives the exit code. */
export async function talk(surroundings: Surroundings, options: TalkOptions): Promise<number> {
  const { screen, input, output, environment } = surroundings;
  const { runtime, session, after, prompt, json, interrupts } = options;
  const attended = surroundings.attended && !json;
  const { adapter = "", mode = "default" } = session.state.opening ?? {};
  const { manifest } = runtime.registry.find(adapter);
  const transcript = new Transcript({
    paint: screen.paint,
    width: screen.width,
    label: (id) => runtime.registry.find(id).manifest.label,
    live: true,
    asking: attended,
    mode,
  });
  const keyboard = new Keyboard(input, output, interrupts.press);
  const editor = environment["VISUAL"] || environment["EDITOR"];
  const write = (text: string): void => void output.write(text);
  const conversation = new Conversation({
    session,
    after,
    messages: prompt === null && attended ? typedMessages(keyboard) : givenMessages(prompt === null ? [] : [prompt]),
    answerer: attended
      ? new AskingAnswerer({ keyboard, paint: screen.paint, write, editor })
      : absentAnswerer((text) => screen.warn(text), manifest.modes),
    show: (item) => (json ? screen.json(item) : screen.show(transcript.take(item))),
    sending: (text) => transcript.typed(text),
    hold: () => screen.hold(),
    interrupting: () => {
      if (!json) screen.show(transcript.note("Interrupting the turn… Ctrl-C again leaves it running."));
    },
  });
  interrupts.listen(() => conversation.press());
  const { how, exitCode } = await conversation.hold();
  if (json) return exitCode;
  screen.show(transcript.end());
  if (how === "detached") sayHowToComeBack(surroundings, session.id, mode);
  if (how === "paused") screen.aside(`fairlead resume ${session.id} "…" goes on.`);
  return exitCode;
}

/** For somebody who leaves an agent running. */
export function sayHowToComeBack({ screen }: Surroundings, id: string, mode: string): void {
  screen.line("Left running.");
  screen.line(`  fairlead resume ${id}    comes back to it`);
  screen.line(`  fairlead logs -f ${id}   looks on`);
  screen.line(`  fairlead stop ${id}      ends it`);
  if (mode === "full-auto") screen.warn("Approvals wait while nobody is attached, in this mode too.");
}
