import { closingOf, isOpen } from "@fairlead/contract";
import type { Conversation, EventOf, Exit, Transcript, WishOf } from "@fairlead/contract";
import { z } from "zod";
import { withContext } from "./context.ts";
import { parseJsonLine } from "./json-line.ts";
import type { Telling } from "./telling.ts";

const Launched = z.looseObject({ containment: z.enum(["namespace", "descendants"]).optional() });

/** Goes off when an agent that was asked to leave has not left. */
export const leaveAlarm = "fairlead.leave";
/** The id under which a keeper hangs up by itself, when nobody has come back to it for long. */
const leaseHangup = "lease";
/** How long an agent may take to leave by itself. */
const patience = 5000;

interface Departure {
  readonly life: Conversation["life"];
  readonly exit: Exit;
  /** Whether a turn was going on that the dialect did not bring to an end. */
  readonly cutOff: boolean;
}

/** The life of a session as far as it does not depend on the agent: answers, leaving, exits and deaths. */
export const lifecycle = {
  answered(telling: Telling, { decision, answer, by }: WishOf<"answer">): void {
    const outcome = { allow: "allowed", deny: "denied", choose: "answered" } as const;
    telling.say({
      type: "decision.resolved",
      decision,
      outcome: outcome[answer.type],
      by,
      ...(answer.type === "allow" && answer.input !== undefined && { input: answer.input }),
      ...(answer.type === "deny" && { message: answer.message }),
      ...(answer.type === "choose" && { answers: answer.answers }),
    });
  },

  injected(telling: Telling, text: string): void {
    telling.state = { ...telling.state, injected: [...telling.state.injected, text] };
    telling.say({ type: "context.injected", text });
  },

  /** The message, with everything before it that was kept for it. */
  withInjected(telling: Telling, send: WishOf<"send">): WishOf<"send"> {
    const { injected } = telling.state;
    if (injected.length === 0) return send;
    telling.state = { ...telling.state, injected: [] };
    return { ...send, text: withContext(injected, send.text) };
  },

  leaving(telling: Telling): void {
    // What is about to be launched has to be told to go as well.
    if (!telling.state.running && !telling.state.launching) return settle(telling, null);
    telling.order({ type: "hangup" });
    telling.order({ type: "alarm", name: leaveAlarm, after: patience });
  },

  exited(telling: Telling, { life, exit, cutOff }: Departure): void {
    if (telling.state.aim !== "run") {
      telling.order({ type: "disarm", name: leaveAlarm });
      return settle(telling, exit);
    }
    const clean = exit.code === 0 && !cutOff;
    if (life === "turn" && !cutOff) return;
    const reason = reasonOf(telling, clean, exit);
    if (!clean && !telling.state.erred) died(telling, exit);
    closeTurn(telling, "failed");
    if (life === "session") end(telling, reason, exit);
  },

  /** What kept the session from what it was heading for is gone. */
  left(telling: Telling, exit: Exit): void {
    settle(telling, exit);
  },

  /** A keeper may say how it holds the process; old ones, and old recordings, do not. */
  launched(telling: Telling, bytes: Uint8Array): void {
    const { containment } = Launched.safeParse(parseJsonLine(Buffer.from(bytes).toString("utf8"))).data ?? {};
    if (containment === undefined || containment === telling.state.containment) return;
    telling.state = { ...telling.state, containment };
    telling.say({ type: "session.changed", containment });
  },

  /** Standard input was closed: by us, by the keeper when nobody came back to it, or by the agent itself. */
  hungUp(telling: Telling, id: string): void {
    if (id === leaseHangup && (telling.state.aim === "run" || telling.state.aim === "take-over"))
      telling.state = { ...telling.state, aim: "pause", idle: true };
    if (id !== "" || telling.state.aim !== "run") return;
    telling.state = { ...telling.state, stdinClosed: true };
    const message = "The agent has closed its standard input: what is said to it no longer arrives.";
    telling.say({ type: "status.reported", level: "warning", message });
  },

  transcribed(telling: Telling, transcript: Transcript): void {
    telling.state = { ...telling.state, transcript };
    telling.say({ type: "session.changed", transcript });
    if (transcript.extends) return;
    const message = "The agent's own record of the conversation is not the one that was there before.";
    telling.say({ type: "error.raised", category: "session-not-found", message });
  },

  lost(telling: Telling): void {
    if (telling.state.ledger.over) return;
    const message = "The keeper of this session is gone, and with it the agent. Nobody saw how it ended.";
    telling.say({ type: "error.raised", category: "agent-died", message });
    closeTurn(telling, "failed");
    end(telling, "lost", null);
  },
};

/** What was aimed at has come about: the pause, or the end. Where a person is to lead, only the way is free. */
function settle(telling: Telling, exit: Exit | null): void {
  closeTurn(telling, "interrupted");
  if (telling.state.aim === "end") end(telling, "stopped", exit);
  else if (telling.state.aim === "pause" && !isOpen(telling.state.ledger, "pause")) {
    telling.say({ type: "session.paused", reason: telling.state.idle ? "idle" : "asked" });
    telling.state = { ...telling.state, idle: false };
  }
}

function end(telling: Telling, reason: EventOf<"session.ended">["reason"], exit: Exit | null): void {
  telling.say({ type: "session.ended", reason, exit: exit && { code: exit.code, signal: exit.signal } });
}

function closeTurn(telling: Telling, turn: EventOf<"turn.ended">["outcome"]): void {
  const tool = turn === "interrupted" ? "interrupted" : "unfinished";
  for (const event of closingOf(telling.state.ledger, "session", { turn, tool })) telling.say(event);
}

function died(telling: Telling, exit: Exit): void {
  const category = exit.error === undefined ? "agent-died" : "not-started";
  const how = exit.error ?? (exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`);
  telling.say({ type: "error.raised", category, message: `The agent's process ended by itself: ${how}.` });
}

function reasonOf(telling: Telling, clean: boolean, exit: Exit): EventOf<"session.ended">["reason"] {
  // What was wrong before any turn could begin is why it was let go of, however it then left.
  if (telling.state.unfit) return "failed";
  if (clean) return "finished";
  // A program that could not be started, or one that said what was wrong before it left, did not crash.
  const told = telling.state.erred && exit.signal === null && exit.code !== null;
  return exit.error !== undefined || told ? "failed" : "crashed";
}
