import { type SessionView, toOneLine } from "@fairlead/api";

/** Names a session as the list does, in one line: by its name, its first message, or its id. `id`: of one that is not known. */
export function sessionNameOf(view: Pick<SessionView, "name" | "title" | "session"> | null, id: string): string {
  if (view === null) return id;
  return toOneLine(view.name ?? (view.title.trim() === "" ? view.session : view.title));
}
