import { closeCodes, createProblem, type ToolProgramFrame } from "@fairlead/api";
import { upgradeWebSocket } from "@hono/node-server";
import type { WebSocket } from "ws";
import type { AppOptions } from "../app-options.ts";
import type { AccessDecision } from "../access/guard.ts";
import type { AppContext } from "../app-types.ts";
import { problemResponse } from "../responses.ts";
import { isWebSocketUpgrade } from "./events-route.ts";
import { ToolProgramConnection } from "./tool-program-connection.ts";

/** Answers the WebSocket over which a program runs tools. Whether it may offer them is checked when a session starts. */
export async function handleToolProgram(
  context: AppContext,
  options: AppOptions,
  authorize: () => AccessDecision,
): Promise<Response> {
  const { toolPrograms, shutdownSignal, limits } = options;
  const decision = authorize();
  if ("refusal" in decision) return problemResponse(decision.refusal);
  options.onAuthorized?.(context.env.incoming.socket);
  if (toolPrograms === undefined)
    return problemResponse(createProblem("not-supported", "This service takes no tools."));
  if (!isWebSocketUpgrade(context)) return problemResponse(needsWebSocket());
  const onOpen = (_: unknown, { raw }: { raw?: unknown }): void => {
    const socket = raw as WebSocket;
    const stack = new DisposableStack();
    const send = (frame: ToolProgramFrame): void => {
      // A program that does not read would fill the memory.
      if (socket.bufferedAmount > limits.unsent) socket.terminate();
      else socket.send(JSON.stringify(frame));
    };
    const connection = stack.use(new ToolProgramConnection(toolPrograms, send));
    const isStillAuthorized = (): boolean => "grant" in authorize();
    stack.use(options.revocationWatcher?.watch(isStillAuthorized, () => socket.terminate()));
    const close = (): void => socket.close(1001, "The service is shutting down.");
    shutdownSignal.addEventListener("abort", close);
    stack.defer(() => shutdownSignal.removeEventListener("abort", close));
    socket.on("message", (data: Buffer) => {
      if (!connection.receive(data.toString())) socket.close(closeCodes.problem, "invalid-request");
    });
    socket.once("close", () => stack.dispose());
  };
  const response = await upgradeWebSocket(() => ({ onOpen }))(context, async () => {});
  return response ?? problemResponse(needsWebSocket());
}

const needsWebSocket = () => createProblem("invalid-request", "This route needs a WebSocket.", 426);
