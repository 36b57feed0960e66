import { createPageClients, type PageClients } from "./remote-fairlead.ts";
import { peekToken } from "./sign-in.ts";

let early: PageClients | null = null;

/** Connects with the token that the page has kept, before the elements are there that show the sessions. */
export function connectEarly(): void {
  const token = peekToken();
  if (token === null) return;
  early = createPageClients(token);
  early.follow();
}

/** Returns the clients of a token: the early ones, once, if they are of this token. */
export function takePageClients(token: string): PageClients {
  const clients = early?.token === token ? early : createPageClients(token);
  early = null;
  return clients;
}
