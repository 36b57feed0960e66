import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Grant } from "./guard.ts";

/** What goes along with a request: the connection it came by, and what its sender may do. */
export interface AppTypes {
  readonly Bindings: HttpBindings;
  readonly Variables: { readonly grant: Grant };
}

export type AppContext = Context<AppTypes>;
