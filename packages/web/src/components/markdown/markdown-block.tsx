import { sanitizeText } from "@fairlead/api";
import { lexer, type Token, type Tokens } from "marked";
import type { ReactNode } from "react";
import { CodeBlock } from "./code-block.tsx";
import { MarkdownInline } from "./markdown-inline.tsx";
import { MarkdownTable } from "./markdown-table.tsx";

/** Shows the source of one block. */
export function MarkdownBlock({ source }: { readonly source: string }): ReactNode {
  return <BlockTokens tokens={lexer(sanitizeText(source))} depth={0} />;
}

/** Lists and quotes can contain each other without end. */
const maxDepth = 12;

const headingSizes = ["text-lg font-bold", "text-lg font-medium", "font-bold", "font-medium"] as const;

function BlockTokens({ tokens, depth }: { readonly tokens: readonly Token[]; readonly depth: number }): ReactNode {
  return tokens.map((token, index) => <BlockToken key={index} token={token} depth={depth} />);
}

function BlockToken({ token, depth }: { readonly token: Token; readonly depth: number }): ReactNode {
  if (depth > maxDepth) return <p className="whitespace-pre-wrap">{token.raw}</p>;
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "code": {
      const { text, lang } = token as Tokens.Code;
      return <CodeBlock text={text} language={lang ?? ""} />;
    }
    case "heading": {
      const { depth: level, tokens } = token as Tokens.Heading;
      // The page has its own headings, so a text's are strong lines.
      return (
        <p className={headingSizes[Math.min(level, headingSizes.length) - 1]}>
          <MarkdownInline tokens={tokens} />
        </p>
      );
    }
    case "blockquote":
      return (
        <blockquote className="flex flex-col gap-2 border-l-2 border-line pl-3 text-quiet">
          <BlockTokens tokens={(token as Tokens.Blockquote).tokens} depth={depth + 1} />
        </blockquote>
      );
    case "list":
      return <List list={token as Tokens.List} depth={depth} />;
    case "table":
      return <MarkdownTable table={token as Tokens.Table} />;
    case "hr":
      return <hr className="border-line" />;
    case "paragraph":
    case "text": {
      const { tokens, text } = token as Tokens.Paragraph | Tokens.Text;
      return <p className="whitespace-pre-wrap">{tokens === undefined ? text : <MarkdownInline tokens={tokens} />}</p>;
    }
    default:
      // HTML and everything unknown is shown as it was written.
      return <p className="whitespace-pre-wrap">{token.raw}</p>;
  }
}

function List({ list, depth }: { readonly list: Tokens.List; readonly depth: number }): ReactNode {
  const items = list.items.map((item, index) => (
    <li key={index} className="pl-1">
      <div className="flex flex-col gap-1">
        <BlockTokens tokens={item.tokens} depth={depth + 1} />
      </div>
    </li>
  ));
  const start = typeof list.start === "number" ? list.start : 1;
  return list.ordered ? (
    <ol start={start} className="list-decimal pl-6">
      {items}
    </ol>
  ) : (
    <ul className="list-disc pl-6">{items}</ul>
  );
}
