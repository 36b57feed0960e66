import type { SessionView } from "@fairlead/api";
import type { EventOf } from "@fairlead/contract";
import { TranscriptRenderer } from "../render/transcript-renderer.ts";
import type { CliContext } from "../cli-context.ts";
import { findRemoteUrl } from "../remote/find-remote-url.ts";
import { createFailureExplainer } from "../sandbox-hints/explain-failure.ts";
import { createUnattendedAnswerer } from "./decision-answerer.ts";
import { DenialAdvice } from "./denial-advice.ts";
import { KeyboardAnswerer } from "./keyboard-answerer.ts";
import { InteractiveSession } from "./interactive-session.ts";
import type { FollowedSession } from "./followed-session.ts";
import type { InterruptHandler } from "./interrupt-handler.ts";
import { Keyboard } from "./keyboard.ts";
import { createFixedMessages, createKeyboardMessages } from "./message-source.ts";

export interface RunInteractiveOptions {
  readonly session: FollowedSession;
  readonly view: Pick<SessionView, "agent" | "label" | "capabilities" | "workspace" | "sandbox">;
  /** Show events after this sequence number. */
  readonly after: number;
  /** The only message to send. Null: a person types messages, or the command only follows if there is no person. */
  readonly message: string | null;
  /** Whether the session was started with its only message. */
  readonly isStarted?: boolean;
  readonly json: boolean;
  readonly interrupts: InterruptHandler;
}

/** Runs a conversation on this screen, for `run` and `resume`. Returns the exit code. */
export async function runInteractive(context: CliContext, options: RunInteractiveOptions): Promise<number> {
  const { screen, input, output, environment } = context;
  const { session, view, after, message, json, interrupts } = options;
  const { capabilities } = view;
  const remoteUrl = findRemoteUrl(context);
  const canAsk = context.isInteractive && !json;
  const transcript = new TranscriptRenderer({
    paint: screen.paint,
    width: screen.width,
    columns: screen.columns,
    label: () => view.label,
    live: true,
    asking: canAsk,
    mode: session.mode,
    explainFailure: createFailureExplainer({
      view,
      configFile: context.home.configFile,
      isRemote: remoteUrl !== null,
    }),
  });
  const keyboard = new Keyboard(input, output, { interrupt: interrupts.handle, detach: interrupts.handleDetach });
  const editor = environment["VISUAL"] || environment["EDITOR"];
  const write = (text: string): void => void output.write(text);
  let paused: EventOf<"session.paused"> | null = null;
  const denialAdvice = new DenialAdvice();
  const interactiveSession = new InteractiveSession({
    session,
    after,
    messages:
      message === null && canAsk && options.isStarted !== true
        ? createKeyboardMessages(keyboard, () => screen.printHint(promptHint))
        : createFixedMessages(message === null ? [] : [message]),
    answerer: canAsk
      ? new KeyboardAnswerer({ keyboard, paint: screen.paint, columns: screen.columns, write, editor, capabilities })
      : createUnattendedAnswerer((text) => screen.warn(text), capabilities),
    show: (item) => {
      if ("body" in item && item.body.type === "session.paused") paused = item.body;
      if ("body" in item) denialAdvice.observe(item.body);
      if (json) screen.json(item);
      else screen.show(transcript.render(item));
    },
    onSend: (sentMessage) => transcript.addTypedMessage(sentMessage),
    holdOutput: () => screen.hold(),
    onInterrupt: () => {
      if (!json) screen.show(transcript.renderNote("Interrupting the turn… Press Ctrl-C again to detach."));
    },
  });
  interrupts.listen({
    interrupt: () => interactiveSession.handleInterrupt(),
    detach: () => interactiveSession.detach(),
  });
  const { outcome, exitCode } = await interactiveSession.run();
  if (json) return exitCode;
  screen.show(transcript.endLine());
  const policyFile = remoteUrl === null ? context.home.policyFile : `policy.yaml on the machine of ${remoteUrl}`;
  for (const line of denialAdvice.lines(policyFile)) screen.warn(line);
  if (outcome === "detached") printReattachHelp(context, session);
  if (outcome === "paused") screen.printHint(resumeHint(session.id, paused));
  return exitCode;
}

/** Says how a paused session continues. At a limit, a message alone would be refused. */
function resumeHint(id: string, paused: EventOf<"session.paused"> | null): string {
  if (paused?.reason === "budget") return `Continue with a higher limit: fairlead resume ${id} --limit …`;
  if (paused?.until === undefined) return `Continue with: fairlead resume ${id} "…"`;
  return `It continues at ${new Date(paused.until).toLocaleString()}. Continue now with: fairlead resume ${id} "…"`;
}

const promptHint = "Type a message. Ctrl-D pauses the session and leaves, Ctrl-C or Ctrl-\\ leaves it running.";

/** Prints the state of a session that was left, and how to return to it. */
function printReattachHelp({ screen }: CliContext, { id, state }: FollowedSession): void {
  screen.line(`Detached. The session ${stateTexts[state]}.`);
  screen.line(`  Return:  fairlead resume ${id}`);
  screen.line(`  Follow:  fairlead logs -f ${id}`);
  screen.line(`  Stop:    fairlead stop ${id}`);
}

const stateTexts: Readonly<Record<FollowedSession["state"], string>> = {
  working: "is working",
  waiting: "is waiting for an answer",
  idle: "is idle",
  paused: "is paused",
  ended: "has ended",
};
