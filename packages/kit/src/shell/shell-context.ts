import type { HereDocBody, Redirection } from "unbash";
import { readWord, unknownWord, type ShellVariables } from "./read-word.ts";
import type { ShellInput, ShellRedirect, ShellWord } from "./shell-reading.ts";

/** What surrounds a command. */
export interface ShellContext {
  readonly input: ShellInput;
  /** The text of a here-document or here-string, or null if it is not known. */
  readonly inputText: string | null;
  readonly wrappers: readonly string[];
}

/** The context of a whole text. */
export const outermost: ShellContext = { input: "inherited", inputText: null, wrappers: [] };

/** Finds where a command's input comes from. The last redirection wins. */
export function inputOf(
  redirects: readonly Redirection[],
  context: ShellContext,
): Pick<ShellContext, "input" | "inputText"> {
  let { input, inputText } = context;
  for (const redirect of redirects) {
    const { descriptor } = redirect;
    if (descriptor !== undefined && (descriptor.type !== "FileDescriptor" || descriptor.value !== 0)) continue;
    if (redirect.type === "HereDoc") {
      const isLiteral = (redirect.body.parts ?? []).every(({ type }) => type === "Literal");
      [input, inputText] = ["text", isLiteral ? redirect.body.text : null];
    } else if (redirect.type === "HereString") {
      const [word] = redirect.target === undefined ? [] : readWord(redirect.target, new Map());
      [input, inputText] = ["text", word?.value ?? null];
    } else if (redirect.operator.startsWith("<")) [input, inputText] = ["file", null];
  }
  return { input, inputText };
}

/** Reads the texts that a command's redirections give it. */
export function readInputWords(redirects: readonly Redirection[], variables: ShellVariables): ShellWord[] {
  return redirects.flatMap((redirect) => {
    if (redirect.type === "HereDoc") return readHereDocument(redirect.body, variables);
    return redirect.type === "HereString" && redirect.target !== undefined ? readWord(redirect.target, variables) : [];
  });
}

function readHereDocument({ text, parts = [] }: HereDocBody, variables: ShellVariables): ShellWord[] {
  return readWord({ text, value: text, parts }, variables);
}

/** Reads which files a command's redirections open. */
export function readRedirects(redirects: readonly Redirection[], variables: ShellVariables): ShellRedirect[] {
  return redirects.flatMap((redirect): ShellRedirect[] => {
    if (redirect.type !== "Redirect" || redirect.target === undefined) return [];
    const isDuplicate = redirect.operator.endsWith("&") && /^(?:\d+-?|-)$/.test(redirect.target.value);
    if (isDuplicate) return [];
    const [path = unknownWord(redirect.target.text)] = readWord(redirect.target, variables);
    const isRead = redirect.operator === "<" || redirect.operator === "<&";
    const direction = isRead ? "read" : redirect.operator.endsWith(">>") ? "append" : "write";
    return [{ direction, path }];
  });
}
