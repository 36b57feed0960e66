import {
  type CommandOptions,
  type Fairlead,
  type MethodRouteName,
  readArguments,
  type RequestParts,
  type Route,
  routes,
  type ServedMethods,
} from "@fairlead/api";

/** The parts of a request after their schemas have parsed them. */
export interface RouteCall extends RequestParts {
  readonly options: CommandOptions;
}

/** The routes that call a method of `Fairlead`. The server implements the others itself. */
export type BoundRouteName = MethodRouteName;

/** Calls the method of a route with the arguments that the route table lists. */
export async function callMethod(fairlead: Fairlead, name: BoundRouteName, call: RouteCall): Promise<unknown> {
  const { args, command, promptsAgent }: Route = routes[name];
  // The assignment checks the route table against the interface. Only the loop over all routes loses the exact types.
  const methods: ServedMethods = fairlead;
  const method = methods[name] as (...values: unknown[]) => Promise<unknown>;
  return await method.call(
    fairlead,
    ...readArguments(args ?? [], call),
    ...(command || promptsAgent ? [call.options] : []),
  );
}
