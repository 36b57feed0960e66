import { FairleadError, type Answer, type Command, type ErrorCode, type Manifest } from "@fairlead/contract";

const messages: Readonly<Partial<Record<ErrorCode, string>>> = {
  "session-ended": "The session has ended. Continue its conversation in a new session with: fairlead resume SESSION",
  "session-paused": "The session is paused. Resume it first.",
  "session-not-paused": "The session is not paused.",
  "no-open-turn": "The session has no open turn.",
  "input-closed":
    "The agent has closed its standard input, so nothing reaches it. Start it again with: fairlead pause SESSION, then fairlead resume SESSION",
  "decision-not-open": "The decision is not open: it was answered or withdrawn.",
  "taken-over": "A person leads the session in the agent's own terminal. Hand it back first.",
  "not-taken-over": "No person leads the session: the agent does.",
  "no-conversation": "The agent has no conversation yet that its terminal could continue. Send a message first.",
  conflict:
    "The open request is not the one that was shown: the agent has replaced it. Nothing was answered. Read it with: fairlead approve SESSION --show",
  "limit-reached":
    "The session has used what its limit allows. Raise the limit with: fairlead resume SESSION --limit LIMIT",
  "not-allowed":
    "Only a caller who may approve can raise a limit, and no caller can allow what a rule of the session's policy denies.",
  "invalid-request": "The command is invalid.",
  "too-large":
    "The message is too large, or too many wait. With the context that waits for the next message, it may have 15 MB; the context alone 8 MB. The queue takes 256 messages and 32 MB.",
  "adapter-failed":
    "The agent's adapter failed on this command, so nothing was sent. Stop the session with: fairlead stop SESSION",
  "not-supported": "The agent does not support this command.",
};

/** Creates the error for a command that the session's state does not allow. */
export function commandRejected(code: ErrorCode): FairleadError {
  return new FairleadError(code, messages[code] ?? code);
}

/** Creates the error for a caller that waits for a session which leaves this host. */
export function movingAway(session: string): FairleadError {
  return new FairleadError("unavailable", `Session ${session} is moving to another host. Try again.`);
}

/** Creates the error for a command that was written to a keeper which did not confirm it. It may be executed later. */
export function outcomeUnknown(session: string, { type }: Command, cause: Error): FairleadError {
  const advice =
    type === "send" || type === "steer"
      ? `It is unknown whether the message was delivered. See fairlead logs ${session} before you send it again.`
      : `It is unknown whether the command was executed. See: fairlead logs ${session}`;
  return new FairleadError("indeterminate", `${cause.message} ${advice}`, { cause });
}

/** Names the outcomes that a caller can accept instead of `native`. An agent that executes each message cannot be given a history. */
export function acceptLessHistory({ messages }: Pick<Manifest, "messages">): string {
  return `Accept the outcome ${messages === "command" ? "" : '"rebuilt" or '}"fresh".`;
}

/** Describes a command that the agent does not support, and what to do instead. Null if the general message is enough. */
export function explainUnsupported(command: Command, manifest: Pick<Manifest, "messages">): string | null {
  switch (command.type) {
    case "steer":
      return "The agent cannot receive a message during a turn. Send it as the next message instead.";
    case "interrupt":
      return "The agent cannot be interrupted. End its process, and with it the turn, with: fairlead pause SESSION";
    case "resume":
      return `The agent cannot resume its conversation in a new process. ${acceptLessHistory(manifest)}`;
    case "inject":
      return "The agent executes each message as it is, so no context can be sent with it.";
    case "update-brief":
      return "The agent executes each message as it is, so it cannot be given a brief.";
    case "take-over":
      return "The agent has no terminal in which a person could lead.";
    case "answer":
      return explainUnsupportedAnswer(command.answer);
    default:
      return null;
  }
}

function explainUnsupportedAnswer(answer: Answer): string {
  const stillOpen = "The decision is still open";
  if (answer.type === "choose")
    return `An approval cannot be answered with a choice. ${stillOpen}: allow it or deny it.`;
  if (answer.type === "allow" && answer.remember !== undefined)
    return `This call cannot be allowed in general: only commands whose first words say what they do can. ${stillOpen}: allow it once.`;
  if (answer.type === "allow" && answer.option !== undefined)
    return `The request has no such option. ${stillOpen}: see its options with fairlead approve SESSION --show`;
  if (answer.type === "allow")
    return `The agent cannot run a call with an edited input. ${stillOpen}: allow the call as it is, or deny it.`;
  return answer.message === ""
    ? `The agent cannot end the turn with a denial. ${stillOpen}: deny it without interrupt.`
    : `The agent cannot receive a message with a denial. ${stillOpen}: deny it without a message.`;
}
