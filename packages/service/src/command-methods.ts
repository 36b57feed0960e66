import { randomUUID } from "node:crypto";
import {
  type CommandOptions,
  type CommandRouteName,
  type Fairlead,
  type FairleadMethods,
  parseArguments,
  type ParsedArguments,
  type Route,
  routes,
} from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { idFromKey, localUserName, type ParentBounds } from "@fairlead/runtime";
import type { CommandPayload, IdempotencyStore } from "./idempotency-store.ts";
import { scopeKey } from "./scope-key.ts";

/** The circumstances of one execution of a command. */
export interface CommandContext {
  /** The idempotency key, made unique among all callers. */
  readonly key: string;
  /** Whether an earlier process may have executed the command already. */
  readonly isRetry: boolean;
  /** Names the caller in the journal. */
  readonly label: string;
  /** Whether to refuse to start a session that would run without approvals. */
  readonly approvalsRequired: boolean;
  /** Throws `not-allowed` for a workspace that the caller may not reach. */
  readonly assertWorkspace?: (workspace: string) => void;
  /** The session whose agent starts another one. */
  readonly parent?: ParentBounds;
}

/** One handler per command. It gets the id of the session where the method of `Fairlead` gets any name of it. */
export type CommandHandlers = {
  readonly [Name in CommandRouteName]: (
    ...args: [...ParsedArguments<Name>, context: CommandContext]
  ) => ReturnType<Fairlead[Name]>;
};

export interface CommandMethodsOptions {
  readonly handlers: CommandHandlers;
  readonly idempotency: IdempotencyStore;
  /** Finds the id of a session by its id, its name or a prefix of its id; of a command on runs also the id of a run. */
  readonly resolveId: (session: string, command: CommandRouteName) => Promise<string>;
  /** Reads the workspace of a session or a run. */
  readonly readWorkspace: (id: string) => Promise<string>;
  /** Throws `not-allowed` if the agent of a session may act without asking for approval. */
  readonly assertSessionAsks: (id: string) => Promise<void>;
  /** Throws `unavailable` if what a command does would not be stored. */
  readonly assertCanStore: () => void;
}

/** Commands that only end work. They are executed even if they cannot be stored: a person can always stop an agent. */
const endingCommands: readonly CommandRouteName[] = ["stop", "interrupt", "pause", "cancelRun"];

/** A base class with the methods of all commands. Each executes its handler once per idempotency key. */
// oxlint-disable-next-line typescript/no-extraneous-class -- its methods come from the route table
export const CommandMethods = class {
  constructor(options: CommandMethodsOptions) {
    const commands = Object.entries<Route>(routes).filter(([, { args, command }]) => args !== null && command);
    Object.assign(
      this,
      Object.fromEntries(commands.map(([name]) => [name, buildMethod(name as CommandRouteName, options)])),
    );
  }
} as new (options: CommandMethodsOptions) => Pick<FairleadMethods, CommandRouteName>;

function buildMethod(
  name: CommandRouteName,
  options: CommandMethodsOptions,
): (...values: unknown[]) => Promise<unknown> {
  const { args, promptsAgent }: Route = routes[name];
  const sources = args ?? [];
  const sessionIndex = sources.indexOf("session");
  const handler = options.handlers[name] as (...values: unknown[]) => Promise<unknown>;
  return async (...values) => {
    if (!endingCommands.includes(name)) options.assertCanStore();
    const commandArguments = parseArguments(name, values);
    const session = sessionIndex < 0 ? null : (commandArguments[sessionIndex] as string);
    const execute = async (id: string, context: CommandContext): Promise<unknown> => {
      // The checks for all commands on a session. The handler of `start` checks what it is about to start.
      if (session !== null) await assertReachable(options, id, context);
      if (context.approvalsRequired && promptsAgent && session !== null) await options.assertSessionAsks(id);
      const handlerArguments = session === null ? commandArguments : commandArguments.with(sessionIndex, id);
      return await handler.call(options.handlers, ...handlerArguments, context);
    };
    const commandOptions = values[sources.length] as CommandOptions | undefined;
    return await runOnce(options, { name, arguments: commandArguments, session }, commandOptions, execute);
  };
}

async function assertReachable(
  { readWorkspace }: CommandMethodsOptions,
  id: string,
  { assertWorkspace, isRetry }: CommandContext,
): Promise<void> {
  if (assertWorkspace === undefined) return;
  try {
    assertWorkspace(await readWorkspace(id));
  } catch (error) {
    // The process that was killed may have forgotten the session.
    if (!isRetry || !FairleadError.is(error, "session-not-found")) throw error;
  }
}

interface InvokedCommand {
  readonly name: CommandRouteName;
  readonly arguments: readonly unknown[];
  /** The session as the caller names it; null for a command without one. */
  readonly session: string | null;
}

/** Executes a command once per idempotency key. A command without a key is always executed. */
async function runOnce(
  { idempotency, resolveId }: CommandMethodsOptions,
  { name, arguments: values, session }: InvokedCommand,
  options: CommandOptions = {},
  execute: (id: string, context: CommandContext) => Promise<unknown>,
): Promise<unknown> {
  const { approvalsRequired = false, caller, signal, assertWorkspace } = options;
  const label = caller?.id == null ? localUserName() : caller.label;
  const common = { approvalsRequired, label, ...(assertWorkspace && { assertWorkspace }) };
  signal?.throwIfAborted();
  const key = options.key === undefined ? undefined : scopeKey(options.key, options.caller);
  const newKey = randomUUID();
  const resolveSession = async (): Promise<string> =>
    session === null ? idFromKey(key ?? newKey) : await resolveId(session, name);
  const command: CommandPayload = [name, ...values];
  try {
    if (key === undefined) {
      return await execute(await resolveSession(), { ...common, key: newKey, isRetry: false });
    }
    return await idempotency.runOnce(key, command, {
      resolveSession,
      execute: (id, isRetry) => execute(id, { ...common, key, isRetry }),
    });
  } catch (error) {
    if (FairleadError.isInstance(error)) throw error;
    throw new FairleadError("unavailable", (error as Error).message, { cause: error });
  }
}
