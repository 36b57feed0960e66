import type { SessionView } from "@fairlead/api";
import { Transcript } from "../render/transcript.ts";
import type { Surroundings } from "../surroundings.ts";
import { absentAnswerer } from "./answerer.ts";
import { AskingAnswerer } from "./asking-answerer.ts";
import { Conversation } from "./conversation.ts";
import type { FollowedSession } from "./followed-session.ts";
import type { Interrupts } from "./interrupts.ts";
import { Keyboard } from "./keyboard.ts";
import { givenMessages, typedMessages } from "./messages.ts";

export interface TalkOptions {
  readonly session: FollowedSession;
  readonly view: Pick<SessionView, "agent" | "label">;
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
  const { session, view, after, prompt, json, interrupts } = options;
  const attended = surroundings.attended && !json;
  const transcript = new Transcript({
    paint: screen.paint,
    width: screen.width,
    columns: screen.columns,
    label: () => view.label,
    live: true,
    asking: attended,
    mode: session.mode,
  });
  const keyboard = new Keyboard(input, output, interrupts.press);
  const editor = environment["VISUAL"] || environment["EDITOR"];
  const write = (text: string): void => void output.write(text);
  const conversation = new Conversation({
    session,
    after,
    messages: prompt === null && attended ? typedMessages(keyboard) : givenMessages(prompt === null ? [] : [prompt]),
    answerer: attended
      ? new AskingAnswerer({ keyboard, paint: screen.paint, columns: screen.columns, write, editor })
      : absentAnswerer(
          (text) => screen.warn(text),
          () => modesOf(view.agent),
        ),
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
  if (how === "detached") sayHowToComeBack(surroundings, session.id);
  if (how === "paused") screen.aside(`fairlead resume ${session.id} "…" goes on.`);
  return exitCode;
}

/** For somebody who leaves an agent running. */
function sayHowToComeBack({ screen }: Surroundings, id: string): void {
  screen.line("Left running.");
  screen.line(`  fairlead resume ${id}    comes back to it`);
  screen.line(`  fairlead logs -f ${id}   looks on`);
  screen.line(`  fairlead stop ${id}      ends it`);
}

/** How much an agent can be let do without asking; nothing is known of one that a newer daemon brought. */
async function modesOf(agent: string): Promise<readonly string[]> {
  const { agents } = await import("../agents.ts");
  return agents().all.find(({ manifest }) => manifest.id === agent)?.manifest.modes ?? [];
}
