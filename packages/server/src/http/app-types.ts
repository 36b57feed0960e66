import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Grant } from "./access/guard.ts";

/** The values that Hono carries with a request: its connection, and the grant of its caller. */
export interface AppTypes {
  readonly Bindings: HttpBindings;
  readonly Variables: { readonly grant: Grant };
}

export type AppContext = Context<AppTypes>;
