import type { OverviewMessage } from "@fairlead/api";

/** The JSON of the views that followers share. A view is encoded once, however many followers get it. */
const encodedViews = new WeakMap<object, string>();

/** Encodes a message of the overview as JSON. */
export function encodeOverview(message: OverviewMessage): string {
  if (!("overview" in message)) return JSON.stringify(message);
  const { sessions, decisions, ...rest } = message.overview;
  const fields = JSON.stringify(rest).slice(1);
  return `{"overview":{"sessions":${encodeViews(sessions)},"decisions":${encodeViews(decisions)},${fields}}`;
}

function encodeViews(views: readonly object[]): string {
  return `[${views.map(encodeView).join(",")}]`;
}

function encodeView(view: object): string {
  const known = encodedViews.get(view);
  if (known !== undefined) return known;
  const encoded = JSON.stringify(view);
  encodedViews.set(view, encoded);
  return encoded;
}
