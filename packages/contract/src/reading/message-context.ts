const contextStart = "<context>\n";
const contextEnd = "\n</context>\n\n";

/**
 * Puts injected context before a message, in tags, so that the agent can distinguish it from the sender's text. Tags,
 * because agents know them and no agent has a field for context. Closing tags inside the context are escaped: context
 * may come from a file or another agent, and must not pass for the message.
 */
export function prependContext(context: readonly string[], message: string): string {
  const blocks = context.map((text) => `${contextStart}${text.replaceAll("</context>", "<\\/context>")}${contextEnd}`);
  return `${blocks.join("")}${message}`;
}

/** Returns the message without its context, as the sender wrote it. */
export function stripContext(text: string): string {
  let rest = text;
  while (rest.startsWith(contextStart) && rest.includes(contextEnd))
    rest = rest.slice(rest.indexOf(contextEnd) + contextEnd.length);
  return rest;
}
