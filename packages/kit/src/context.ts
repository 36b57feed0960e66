const [begin, end] = ["<context>\n", "\n</context>\n\n"];

/**
 * A message with something before it that the sender did not say. It is fenced, so that an agent can tell the two apart:
 * agents are used to tags, and none has a field of its own for this. What would close the fence is made harmless, since
 * the context may come from a file or from another agent, and must not pass for the message.
 */
export function withContext(context: readonly string[], message: string): string {
  const fenced = context.map((text) => `${begin}${text.replaceAll("</context>", "<\\/context>")}${end}`);
  return `${fenced.join("")}${message}`;
}

/** The message alone, as the sender wrote it. */
export function withoutContext(text: string): string {
  let rest = text;
  while (rest.startsWith(begin) && rest.includes(end)) rest = rest.slice(rest.indexOf(end) + end.length);
  return rest;
}
