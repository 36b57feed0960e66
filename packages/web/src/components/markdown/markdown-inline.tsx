import type { Token, Tokens } from "marked";
import type { ReactNode } from "react";
import { OuterLink } from "./outer-link.tsx";

interface MarkdownInlineProps {
  readonly tokens: readonly Token[] | undefined;
  readonly depth?: number;
}

const maxDepth = 12;

/** Shows the words of a paragraph. */
export function MarkdownInline({ tokens = [], depth = 0 }: MarkdownInlineProps): ReactNode {
  return tokens.map((token, index) => <InlineToken key={index} token={token} depth={depth} />);
}

function InlineToken({ token, depth }: { readonly token: Token; readonly depth: number }): ReactNode {
  if (depth > maxDepth) return token.raw;
  const inner = (tokens: readonly Token[] | undefined): ReactNode => (
    <MarkdownInline tokens={tokens} depth={depth + 1} />
  );
  switch (token.type) {
    case "strong":
      return <strong className="font-bold">{inner((token as Tokens.Strong).tokens)}</strong>;
    case "em":
      return <em>{inner((token as Tokens.Em).tokens)}</em>;
    case "del":
      return <del>{inner((token as Tokens.Del).tokens)}</del>;
    case "codespan":
      return (
        <code className="rounded-sm bg-raised px-1 font-mono text-sm break-all">{(token as Tokens.Codespan).text}</code>
      );
    case "br":
      return <br />;
    case "link": {
      const { href, tokens, text } = token as Tokens.Link;
      return (
        <OuterLink href={href} text={text}>
          {inner(tokens)}
        </OuterLink>
      );
    }
    case "image": {
      // Loading it would tell another host that the text was read.
      const { href, text } = token as Tokens.Image;
      return (
        <OuterLink href={href} text={text}>
          {text === "" ? "image" : text}
        </OuterLink>
      );
    }
    case "escape":
    case "text": {
      const { tokens, text } = token as Tokens.Text;
      return tokens === undefined ? text : inner(tokens);
    }
    default:
      return token.raw;
  }
}
