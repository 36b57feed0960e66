import { type Fairlead, type MethodRouteName, type Route, routes } from "@fairlead/api";

type AnyMethod = (...values: unknown[]) => Promise<unknown>;

/** The methods that a host executes: all with a session, except those that read the log and the index. */
type HostMethods = Omit<
  Fairlead,
  | "health"
  | "agents"
  | "start"
  | "sessions"
  | "overview"
  | "session"
  | "events"
  | "turns"
  | "search"
  | "decisions"
  | "usage"
  | "usageHistory"
  | "turnHistory"
  | "runs"
  | "run"
  | "startRun"
  | "checkRun"
  | "runEvents"
  | "cancelRun"
>;

/** The methods with a session that the gateway executes from the log and the index. */
const ofLog: ReadonlySet<string> = new Set<MethodRouteName>(["session", "turns", "search"]);

/** Creates a base class whose methods, one for each route with a session, call the host of the session. */
export function createHostMethods(): new (
  call: (method: MethodRouteName, values: readonly unknown[]) => Promise<unknown>,
) => HostMethods {
  // oxlint-disable-next-line typescript/no-extraneous-class -- its methods come from the route table
  return class {
    constructor(call: (method: MethodRouteName, values: readonly unknown[]) => Promise<unknown>) {
      const names = Object.entries<Route>(routes)
        .filter(([name, { args }]) => args?.includes("session") === true && !ofLog.has(name))
        .map(([name]) => name as MethodRouteName);
      const methods = names.map((name): [string, AnyMethod] => [name, (...values) => call(name, values)]);
      Object.assign(this, Object.fromEntries(methods));
    }
  } as never;
}
