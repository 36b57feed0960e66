import type { Fairlead, SessionView } from "@fairlead/api";
import { exportMarkdown } from "@fairlead/contract";

/** Writes the session as Markdown into a file of the browser's downloads. */
export async function saveExport(fairlead: Fairlead, { session, name }: SessionView): Promise<void> {
  const parts: string[] = [];
  const read = () => fairlead.events(session);
  for await (const part of exportMarkdown(read)) parts.push(part);
  const url = URL.createObjectURL(new Blob(parts, { type: "text/markdown" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${name ?? session}.md`;
  link.click();
  // The browser has begun to save it by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
