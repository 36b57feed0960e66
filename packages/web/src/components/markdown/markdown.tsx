import { memo, useRef, type ReactNode } from "react";
import { MarkdownBlock } from "./markdown-block.tsx";
import { emptyBlocks, extendBlocks, type MarkdownBlocks } from "./markdown-blocks.ts";

interface MarkdownProps {
  readonly text: string;
}

/** Shows an agent's text. It becomes elements and never HTML, and a block that has ended is not parsed again. */
export function Markdown({ text }: MarkdownProps): ReactNode {
  // A cache of a pure function: a render that is thrown away only leaves more blocks in it.
  const blocks = useRef<MarkdownBlocks>(emptyBlocks);
  blocks.current = extendBlocks(blocks.current, text);
  const { finished, tail } = blocks.current;
  return (
    <div className="flex min-w-0 flex-col gap-2 break-words">
      {finished.map((source, index) => (
        <Block key={index} source={source} />
      ))}
      {tail !== "" && <Block key={finished.length} source={tail} />}
    </div>
  );
}

const Block = memo(MarkdownBlock);
