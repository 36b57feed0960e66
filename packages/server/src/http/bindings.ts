import type { CommandOptions, Fairlead, ReplyOf, RouteName, routes } from "@fairlead/api";
import type { z } from "zod";

/** What a call says, after its schemas have accepted it. */
export interface Call<Name extends RouteName> {
  readonly session: string;
  readonly query: Accepted<(typeof routes)[Name]["query"]>;
  readonly body: Accepted<(typeof routes)[Name]["body"]>;
  readonly options: CommandOptions;
}

type Accepted<Schema> = Schema extends z.ZodType ? z.infer<Schema> : undefined;

/** The routes that are calls of the interface; the others are the server's own. */
export type CallName = Exclude<RouteName, "events" | "metrics" | "shutdown">;

/** What each of them calls. */
export const bindings: {
  readonly [Name in CallName]: (fairlead: Fairlead, call: Call<Name>) => Promise<ReplyOf<Name>>;
} = {
  health: (fairlead) => fairlead.health(),
  agents: async (fairlead) => [...(await fairlead.agents())],
  start: (fairlead, { body, options }) => fairlead.start(body, options),
  sessions: async (fairlead) => [...(await fairlead.sessions())],
  session: (fairlead, { session }) => fairlead.session(session),
  send: (fairlead, { session, body, options }) => fairlead.send(session, body.text, options),
  steer: (fairlead, { session, body, options }) => fairlead.steer(session, body.text, options),
  inject: (fairlead, { session, body, options }) => fairlead.inject(session, body.text, options),
  answer: (fairlead, { session, body, options }) => fairlead.answer(session, body.decision, body.answer, options),
  interrupt: (fairlead, { session, options }) => fairlead.interrupt(session, options),
  pause: (fairlead, { session, options }) => fairlead.pause(session, options),
  checkpoint: (fairlead, { session }) => fairlead.checkpoint(session),
  resume: (fairlead, { session, body, options }) => fairlead.resume(session, body, options),
  fork: (fairlead, { session, body, options }) => fairlead.fork(session, body, options),
  stop: (fairlead, { session, options }) => fairlead.stop(session, options),
  takeOver: (fairlead, { session, body, options }) => fairlead.takeOver(session, body, options),
  type: (fairlead, { session, body }) => fairlead.type(session, body.text),
  resize: (fairlead, { session, body }) => fairlead.resize(session, body),
  handBack: (fairlead, { session, options }) => fairlead.handBack(session, options),
  forget: (fairlead, { session, options }) => fairlead.forget(session, options),
  decisions: async (fairlead) => [...(await fairlead.decisions())],
  files: async (fairlead, { session }) => [...(await fairlead.files(session))],
  diff: (fairlead, { session }) => fairlead.diff(session),
  usage: async (fairlead, { query }) => [...(await fairlead.usage(query.session))],
};
